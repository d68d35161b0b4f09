import { hkdfSync } from 'node:crypto';

/**
 * Returns `length` bytes that are always the same for the same words. HKDF is used because Electron has no digest of a
 * chosen length.
 */
export const bytesOfWords = (words: string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha512', words, '', '', length));
