import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/**
 * Signatures that lie beside a file (`latest.yml.sig`, `book.json.sig`): Ed25519 over its exact bytes, in base64. The feed of updates and
 * price books are believed by them.
 */

/** From PEM, or from SPKI in base64. Throws where it is not an Ed25519 key. */
export function parsePublicKey(text: string): KeyObject {
  const input = text.includes('-----BEGIN')
    ? text
    : ({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' } as const);
  return requireEd25519(createPublicKey(input));
}

/** From PEM (PKCS #8). Throws where it is not an Ed25519 key. */
export const parsePrivateKey = (pem: string): KeyObject => requireEd25519(createPrivateKey(pem));

function requireEd25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError(`expected an Ed25519 key, not ${key.asymmetricKeyType}`);
  return key;
}

/** The public half of a key as configurations hold it: SPKI in base64. */
export const publicKeyText = (privateKey: KeyObject): string =>
  createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).toString('base64');

export const getSignature = (privateKey: KeyObject, bytes: Uint8Array): string =>
  sign(null, bytes, privateKey).toString('base64');

/** A text is signed by its bytes in UTF-8. */
export const isSignedBy = (key: KeyObject, file: string | Uint8Array, signature: string): boolean =>
  verify(null, Buffer.from(file), key, Buffer.from(signature.trim(), 'base64'));

/** Where the signature of a file lies: `book.json` → `book.json.sig`. */
export function signatureAddress(file: URL): URL {
  const beside = new URL(file);
  beside.pathname += '.sig';
  return beside;
}
