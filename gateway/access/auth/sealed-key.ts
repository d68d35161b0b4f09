import { createCipheriv, createDecipheriv, createPrivateKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import type { Peppers } from './pepper.ts';

/** AES-256-GCM. The 96-bit nonce and the 128-bit tag precede the ciphertext. */
const nonceLength = 12;
const tagLength = 16;
const purpose = 'portico token signing key v1';

/**
 * Returns a private key in the form in which it may be stored: encrypted with a key derived from the pepper, and bound to its
 * `kid`.
 */
export function sealKey(key: KeyObject, kid: string, [pepper]: Peppers): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', wrappingKey(pepper), nonce);
  cipher.setAAD(Buffer.from(kid));
  const secret = key.export({ type: 'pkcs8', format: 'der' });
  const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Decrypts it with whichever pepper fits. Throws `invalid_input` when none does. */
export function openKey(sealed: Uint8Array, kid: string, peppers: Peppers): KeyObject {
  for (const pepper of peppers) {
    const der = opened(Buffer.from(sealed), kid, pepper);
    if (der) return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  }
  throw new AppError(
    'invalid_input',
    'The key that signs tokens cannot be decrypted: the key secret (PORTICO_KEY_PEPPER) is not the one it was made with. ' +
      'If that one is lost, "gateway token rotate --at-once" makes new keys.',
  );
}

/** Whether one of the peppers decrypts it. */
export const canOpenKey = (sealed: Uint8Array, kid: string, peppers: Peppers): boolean =>
  peppers.some((pepper) => opened(Buffer.from(sealed), kid, pepper) !== null);

const wrappingKey = (pepper: Uint8Array) => Buffer.from(hkdfSync('sha256', pepper, new Uint8Array(), purpose, 32));

/** Returns null when the pepper is another one or the text was changed, because the tag then doesn't match. */
function opened(sealed: Buffer, kid: string, pepper: Uint8Array): Buffer | null {
  const nonce = sealed.subarray(0, nonceLength);
  const tag = sealed.subarray(nonceLength, nonceLength + tagLength);
  if (tag.length !== tagLength) return null;
  const decipher = createDecipheriv('aes-256-gcm', wrappingKey(pepper), nonce, { authTagLength: tagLength });
  decipher.setAAD(Buffer.from(kid));
  decipher.setAuthTag(tag);
  const start = decipher.update(sealed.subarray(nonceLength + tagLength));
  try {
    return Buffer.concat([start, decipher.final()]);
  } catch {
    return null;
  }
}
