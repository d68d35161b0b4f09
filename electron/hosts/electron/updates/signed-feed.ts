import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { AppUpdater } from 'electron-updater';
import { GenericProvider } from 'electron-updater/out/providers/GenericProvider.js';
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js';

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
    const beside = new URL(url);
    beside.pathname += '.sig';
    const signature = await super.httpRequest(beside, headers).catch((cause: unknown) => {
      throw cause instanceof Error && /\b404\b/.test(cause.message) ? notSigned(cause) : cause;
    });
    if (!isSignedBy(this.#publicKey, file ?? '', signature ?? '')) throw notSigned();
    return file;
  }
}

/** Throws where it is not an Ed25519 key. */
export function parsePublicKey(base64: string): KeyObject {
  const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError(`expected an Ed25519 key, not ${key.asymmetricKeyType}`);
  return key;
}

/** `signature` is in base64, over the bytes of `text` in UTF-8. */
export const isSignedBy = (key: KeyObject, text: string, signature: string): boolean =>
  verify(null, Buffer.from(text), key, Buffer.from(signature.trim(), 'base64'));

const notSigned = (cause?: unknown) =>
  Object.assign(new Error('feed not signed', { cause }), {
    code: 'ERR_UPDATER_INVALID_SIGNATURE',
  });
