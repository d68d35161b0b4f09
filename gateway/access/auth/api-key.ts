import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const vendor = 'portico';
export const keyPrefix = `sk-${vendor}-`;
const keyLength = 56;
const checksumLength = 6;
/** How many characters of the random part may be shown, so that owners can distinguish their keys. */
const shownLength = 4;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The largest multiple of 62 below 256. Higher bytes are skipped, because they would make the first letters more likely. */
const unbiasedBelow = 248;
const shape = new RegExp(`^${keyPrefix}[0-9A-Za-z]{${keyLength - keyPrefix.length}}$`);

/** Creates an API key (wire contract §4.1): prefix, random base62 from a CSPRNG, checksum. */
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

/** Whether a text has the form of a key. Catches typing errors before the database is asked; it isn't a security check. */
export function isApiKey(text: string): boolean {
  if (text.length !== keyLength || !shape.test(text)) return false;
  const body = text.slice(0, -checksumLength);
  return text.slice(-checksumLength) === checksum(body);
}

/** The part of a key that may be shown, for example `sk-portico-qzoG`. */
export const displayPrefix = (key: string): string => key.slice(0, keyPrefix.length + shownLength);

/** The digest of a key, which is stored in its place (wire contract §4.2). */
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
