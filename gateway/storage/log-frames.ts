import { crc32 } from 'node:zlib';

/**
 * One piece of a journal: `magic 4, checksum 4, books 4, length 4, number 6, synced 6`, little-endian, and the text. The checksum
 * covers all that comes after it.
 */
export interface Frame {
  /** One more than that of the frame before, over all files. */
  readonly number: number;
  /** All frames up to this number were on the disk when this one was written. */
  readonly synced: number;
  /** Which books it belongs to. */
  readonly databaseId: number;
  readonly text: () => string;
}

const magic = Buffer.from('PSJ1', 'latin1');
const magicNumber = magic.readUInt32LE();
const headBytes = 28;

export function encodeFrame(databaseId: number, number: number, synced: number, text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(headBytes + length);
  magic.copy(frame);
  frame.writeUInt32LE(databaseId, 8);
  frame.writeUInt32LE(length, 12);
  frame.writeUIntLE(number, 16, 6);
  frame.writeUIntLE(synced, 22, 6);
  frame.write(text, headBytes);
  frame.writeUInt32LE(crc32(frame.subarray(8)), 4);
  return frame;
}

export interface ScannedFile {
  /** In the order of the file. */
  readonly frames: readonly Frame[];
  /** Bytes of frames that begin after all before them and are not whole: torn, or damaged. */
  readonly tornBytes: number;
}

/**
 * Every whole frame of a file, also behind bytes that are none: the room that it has left, and what is left there of frames that
 * were written over. Those have the lower numbers.
 */
export function scanFrames(bytes: Buffer): ScannedFile {
  const frames: Frame[] = [];
  let tornBytes = 0;
  let last = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = frameEnd(bytes, at);
    if (end !== null) {
      const frame = frameAt(bytes, at, end);
      frames.push(frame);
      last = Math.max(last, frame.number);
      at = end;
      continue;
    }
    const found = bytes.indexOf(magic, at + 1);
    const next = found === -1 ? bytes.length : found;
    if (beginsFrame(bytes, at) && numberAt(bytes, at) > last)
      tornBytes += Math.min(next - at, headBytes + lengthAt(bytes, at));
    at = next;
  }
  return { frames, tornBytes };
}

/**
 * The number of the last whole frame of those that were written one behind the other from the beginning of a file; 0 where there is
 * none. For a file that somebody writes meanwhile: only the last one may be seen in part, so that no other is checked.
 */
export function lastFrameNumber(bytes: Buffer): number {
  let [before, last, lastAt] = [0, 0, 0];
  // What follows the last one has a lower number, or is no frame.
  for (let at = 0; beginsFrame(bytes, at) && numberAt(bytes, at) > last; at += headBytes + lengthAt(bytes, at))
    [before, last, lastAt] = [last, numberAt(bytes, at), at];
  return frameEnd(bytes, lastAt) === null ? before : last;
}

/** Where a whole frame that begins here ends; null where none does. */
function frameEnd(bytes: Buffer, at: number): number | null {
  if (!beginsFrame(bytes, at)) return null;
  const end = at + headBytes + lengthAt(bytes, at);
  if (end > bytes.length) return null;
  return crc32(bytes.subarray(at + 8, end)) === bytes.readUInt32LE(at + 4) ? end : null;
}

const beginsFrame = (bytes: Buffer, at: number): boolean =>
  at + headBytes <= bytes.length && bytes.readUInt32LE(at) === magicNumber;
const lengthAt = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at + 12);
const numberAt = (bytes: Buffer, at: number): number => bytes.readUIntLE(at + 16, 6);

const frameAt = (bytes: Buffer, at: number, end: number): Frame => ({
  databaseId: bytes.readUInt32LE(at + 8),
  number: numberAt(bytes, at),
  synced: bytes.readUIntLE(at + 22, 6),
  text: () => bytes.toString('utf8', at + headBytes, end),
});
