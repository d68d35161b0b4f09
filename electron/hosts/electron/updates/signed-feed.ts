import type { KeyObject } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { AppUpdater } from 'electron-updater';
import { GenericProvider } from 'electron-updater/out/providers/GenericProvider.js';
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js';
import { isSignedBy, parsePublicKey, signatureAddress } from '#gateway/access/auth/signed-bytes.ts';

/** What electron-updater hands to a provider of one's own (`provider: 'custom'`). */
export interface SignedFeedOptions {
  readonly provider: 'custom';
  readonly updateProvider: typeof SignedFeed;
  /** The folder in which `latest*.yml`, its signature and the packages lie. */
  readonly url: string;
  /** Ed25519, SPKI in base64. */
  readonly publicKey: string;
}

/**
 * A feed on any web server, whose file (`latest.yml`) is believed only with an Ed25519 signature of its bytes beside it (`latest.yml.sig`).
 * The file has the SHA-512 of each package, so a server that is not ours can offer nothing but what we signed.
 */
export class SignedFeed extends GenericProvider {
  readonly #publicKey: KeyObject;

  constructor({ url, publicKey }: SignedFeedOptions, updater: AppUpdater, runtime: ProviderRuntimeOptions) {
    // A server of static files may not know requests for several ranges at once.
    super({ provider: 'generic', url }, updater, { ...runtime, isUseMultipleRangeRequest: false });
    this.#publicKey = parsePublicKey(publicKey);
  }

  /** The only request of the generic provider is the one for the feed's file. */
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
