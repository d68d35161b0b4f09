import type { KeyObject } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { AppUpdater } from 'electron-updater';
import { GenericProvider } from 'electron-updater/out/providers/GenericProvider.js';
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js';
import { isSignedBy, parsePublicKey, signatureAddress } from '#gateway/access/auth/signed-bytes.ts';

/** The options that electron-updater passes to a custom provider (`provider: 'custom'`). */
export interface SignedFeedOptions {
  readonly provider: 'custom';
  readonly updateProvider: typeof SignedFeed;
  /** The folder that contains `latest*.yml`, its signature and the packages. */
  readonly url: string;
  /** Ed25519, SPKI in base64. */
  readonly publicKey: string;
}

/**
 * An update feed on any web server. Its file (`latest.yml`) is trusted only with an Ed25519 signature of its bytes next
 * to it (`latest.yml.sig`). The file contains the SHA-512 of each package, so a foreign server can offer only what we
 * have signed.
 */
export class SignedFeed extends GenericProvider {
  readonly #publicKey: KeyObject;

  constructor({ url, publicKey }: SignedFeedOptions, updater: AppUpdater, runtime: ProviderRuntimeOptions) {
    // A static file server may not support requests for several ranges at once.
    super({ provider: 'generic', url }, updater, { ...runtime, isUseMultipleRangeRequest: false });
    this.#publicKey = parsePublicKey(publicKey);
  }

  /** The generic provider makes only this request, for the feed's file. */
  protected override async httpRequest(url: URL, headers?: OutgoingHttpHeaders | null): Promise<string | null> {
    const file = await super.httpRequest(url, headers);
    const signature = await super.httpRequest(signatureAddress(url), headers).catch((cause: unknown) => {
      throw cause instanceof Error && /\b404\b/.test(cause.message) ? notSigned(cause) : cause;
    });
    if (!isSignedBy(this.#publicKey, file ?? '', signature ?? '')) throw notSigned();
    return file;
  }
}

const notSigned = (cause?: unknown) =>
  Object.assign(new Error('feed not signed', { cause }), {
    code: 'ERR_UPDATER_INVALID_SIGNATURE',
  });
