import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const vendor = 'portico';
export const keyPrefix = `sk-${vendor}-`;
const keyLength = 56;
const checksumLength = 6;
/** Characters of the random part that may be shown, so that its owner can tell keys apart. */
const shownLength = 4;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The largest multiple of 62 that a byte can hold: bytes from here on would favour the first letters. */
const unbiasedBelow = 248;
const shape = new RegExp(`^${keyPrefix}[0-9A-Za-z]{${keyLength - keyPrefix.length}}$`);

/** A new API key (wire contract §4.1): prefix, random base62 from a CSPRNG, checksum. */
export function createApiKey(random: (size: number) => Uint8Array = randomBytes): string {
  const length = keyLength - keyPrefix.length - checksumLength;
  let text = '';
  while (text.length < length) {
    for (const byte of random(length)) {
      if (byte < unbiasedBelow && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  const body = `${keyPrefix}${text}`;
  return body + checksum(body);
}

/** Whether a text can be a key at all. Rejects typing errors before the database is asked; it is no security. */
export function isApiKey(text: string): boolean {
  if (text.length !== keyLength || !shape.test(text)) return false;
  const body = text.slice(0, -checksumLength);
  return text.slice(-checksumLength) === checksum(body);
}

/** What may be shown of a key: `sk-portico-qzoG`. */
export const displayPrefix = (key: string): string => key.slice(0, keyPrefix.length + shownLength);

/** What is stored of a key (wire contract §4.2). */
export const getDigest = (key: string, pepper: Uint8Array): Buffer => createHmac('sha256', pepper).update(key).digest();

function checksum(body: string): string {
  let value = crc32(body);
  let text = '';
  while (text.length < checksumLength) {
    text = `${alphabet[value % alphabet.length]}${text}`;
    value = Math.floor(value / alphabet.length);
  }
  return text;
}
