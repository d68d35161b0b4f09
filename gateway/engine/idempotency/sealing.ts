import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Peppers } from '../../access/auth/pepper.ts';

const keyLength = 32;
const ivLength = 12;
const tagLength = 16;

/** Names and encrypts the answers stored for `Idempotency-Key`, with keys derived from the first pepper. */
export interface Sealing {
  /** Returns the same name for the same parts. The name does not reveal them. */
  getName(parts: readonly string[]): string;
  getFingerprint(text: string): Buffer;
  /** Encrypts a text for one name; it can be decrypted under no other name. */
  seal(text: string, name: string): Buffer;
  /** Throws when the text was changed, or encrypted for another name or with another pepper. */
  open(sealed: Uint8Array, name: string): string;
}

export function createSealing([pepper]: Peppers, random: (size: number) => Uint8Array = randomBytes): Sealing {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', pepper, '', `portico idempotency ${purpose}`, keyLength));
  const nameKey = derive('name');
  const fingerprintKey = derive('fingerprint');
  const answerKey = derive('answer');
  const hmac = (key: Uint8Array, text: string) => createHmac('sha256', key).update(text).digest();
  return {
    getName: (parts) => hmac(nameKey, JSON.stringify(parts)).toString('base64url'),
    getFingerprint: (text) => hmac(fingerprintKey, text),
    seal(text, name) {
      const iv = random(ivLength);
      const cipher = createCipheriv('aes-256-gcm', answerKey, iv).setAAD(Buffer.from(name));
      const hidden = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([iv, cipher.getAuthTag(), ...hidden]);
    },
    open(sealed, name) {
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv('aes-256-gcm', answerKey, bytes.subarray(0, ivLength), {
        authTagLength: tagLength,
      });
      decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(ivLength, ivLength + tagLength));
      return Buffer.concat([decipher.update(bytes.subarray(ivLength + tagLength)), decipher.final()]).toString('utf8');
    },
  };
}
