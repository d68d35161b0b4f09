/** A width and a height in pixels. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Bytes of a picture that are needed: a JPEG may have a preview and a colour profile before its size. */
export const pictureHeadBytes = 262_144;

/** Reads the size of a PNG, GIF, WebP or JPEG from its first bytes; null if they don't contain it. */
export function pictureSize(head: Buffer): PixelSize | null {
  const size = sizeIn(head);
  return size && size.width > 0 && size.height > 0 ? size : null;
}

function sizeIn(head: Buffer): PixelSize | null {
  if (head.length < 30) return head.length >= 10 ? gifSize(head) : null;
  const start = head.toString('latin1', 0, 16);
  if (start.startsWith('\x89PNG')) return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  if (start.startsWith('GIF8')) return gifSize(head);
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return webpSize(head, start.slice(12, 16));
  return start.startsWith('\xff\xd8') ? jpegSize(head) : null;
}

const gifSize = (head: Buffer): PixelSize | null =>
  head.toString('latin1', 0, 4) === 'GIF8' ? { width: head.readUInt16LE(6), height: head.readUInt16LE(8) } : null;

/** Reads the size of the three kinds of WebP (https://developers.google.com/speed/webp/docs/riff_container). */
function webpSize(head: Buffer, kind: string): PixelSize | null {
  if (kind === 'VP8X') return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
  if (kind === 'VP8 ') return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  if (kind !== 'VP8L') return null;
  const bits = head.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** Walks over a JPEG's segments to the one with its size (ITU-T T.81, B.2.2). */
function jpegSize(head: Buffer): PixelSize | null {
  for (let offset = 2; offset + 9 < head.length; ) {
    if (head[offset] !== 0xff) return null;
    const marker = head[offset + 1] ?? 0;
    const isSize = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isSize) return { width: head.readUInt16BE(offset + 7), height: head.readUInt16BE(offset + 5) };
    offset += marker === 0xff ? 1 : 2 + head.readUInt16BE(offset + 2);
  }
  return null;
}
