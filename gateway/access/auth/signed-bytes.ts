import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/**
 * Signatures in a file beside the signed one (`latest.yml.sig`, `book.json.sig`): Ed25519 over its exact bytes, in base64. The
 * update feed and price books are trusted because of them.
 */

/** Parses a key from PEM, or from SPKI in base64. Throws when it isn't an Ed25519 key. */
export function parsePublicKey(text: string): KeyObject {
  const input = text.includes('-----BEGIN')
    ? text
    : ({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' } as const);
  return requireEd25519(createPublicKey(input));
}

/** Parses a key from PEM (PKCS #8). Throws when it isn't an Ed25519 key. */
export const parsePrivateKey = (pem: string): KeyObject => requireEd25519(createPrivateKey(pem));

function requireEd25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError(`expected an Ed25519 key, not ${key.asymmetricKeyType}`);
  return key;
}

/** Returns the public half of a key as configurations have it: SPKI in base64. */
export const publicKeyText = (privateKey: KeyObject): string =>
  createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).toString('base64');

export const getSignature = (privateKey: KeyObject, bytes: Uint8Array): string =>
  sign(null, bytes, privateKey).toString('base64');

/** A text is signed by its UTF-8 bytes. */
export const isSignedBy = (key: KeyObject, file: string | Uint8Array, signature: string): boolean =>
  verify(null, Buffer.from(file), key, Buffer.from(signature.trim(), 'base64'));

/** Returns the address of a file's signature: `book.json` → `book.json.sig`. */
export function signatureAddress(file: URL): URL {
  const beside = new URL(file);
  beside.pathname += '.sig';
  return beside;
}
