import { hkdfSync } from 'node:crypto';

/** As many bytes as are wanted, the same for the same words. Electron has no digest of a chosen length. */
export const bytesOfWords = (words: string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha512', words, '', '', length));
