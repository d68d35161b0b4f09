import { crc32 } from 'node:zlib';

/**
 * An entry of the write-ahead log: `magic 4, checksum 4, database id 4, length 4, number 6, synced 6` bytes, little-endian, then
 * the text. The checksum covers everything after itself.
 */
export interface Frame {
  /** One more than the number of the frame before, across both files. */
  readonly number: number;
  /** All frames up to this number were on the disk when this one was written. */
  readonly synced: number;
  /** The database that the frame belongs to. */
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
  /** The size of incomplete frames that begin after all complete ones: torn by a crash, or damaged. */
  readonly tornBytes: number;
}

/**
 * Returns every complete frame of a file, skipping bytes in between that aren't frames: reserved zeros, and remains of
 * overwritten frames. Complete old frames have lower numbers.
 */
export function scanFrames(bytes: Buffer): ScannedFile {
  const frames: Frame[] = [];
  let tornBytes = 0;
  let last = 0;
  for (let offset = 0; offset < bytes.length; ) {
    const end = frameEnd(bytes, offset);
    if (end !== null) {
      const frame = frameAt(bytes, offset, end);
      frames.push(frame);
      last = Math.max(last, frame.number);
      offset = end;
      continue;
    }
    const found = bytes.indexOf(magic, offset + 1);
    const next = found === -1 ? bytes.length : found;
    if (beginsFrame(bytes, offset) && numberAt(bytes, offset) > last)
      tornBytes += Math.min(next - offset, headBytes + lengthAt(bytes, offset));
    offset = next;
  }
  return { frames, tornBytes };
}

/**
 * Returns the number of the last complete frame written in sequence from the beginning of a file; 0 when there is none. Works on
 * a file that another process is writing: only the last frame may be incomplete, so only that one is checked.
 */
export function lastFrameNumber(bytes: Buffer): number {
  let [before, last, lastAt] = [0, 0, 0];
  // A frame behind the last one is an old one with a lower number, or none at all.
  for (
    let offset = 0;
    beginsFrame(bytes, offset) && numberAt(bytes, offset) > last;
    offset += headBytes + lengthAt(bytes, offset)
  )
    [before, last, lastAt] = [last, numberAt(bytes, offset), offset];
  return frameEnd(bytes, lastAt) === null ? before : last;
}

/** Returns where a complete frame that begins here ends, or null. */
function frameEnd(bytes: Buffer, offset: number): number | null {
  if (!beginsFrame(bytes, offset)) return null;
  const end = offset + headBytes + lengthAt(bytes, offset);
  if (end > bytes.length) return null;
  return crc32(bytes.subarray(offset + 8, end)) === bytes.readUInt32LE(offset + 4) ? end : null;
}

const beginsFrame = (bytes: Buffer, offset: number): boolean =>
  offset + headBytes <= bytes.length && bytes.readUInt32LE(offset) === magicNumber;
const lengthAt = (bytes: Buffer, offset: number): number => bytes.readUInt32LE(offset + 12);
const numberAt = (bytes: Buffer, offset: number): number => bytes.readUIntLE(offset + 16, 6);

const frameAt = (bytes: Buffer, offset: number, end: number): Frame => ({
  databaseId: bytes.readUInt32LE(offset + 8),
  number: numberAt(bytes, offset),
  synced: bytes.readUIntLE(offset + 22, 6),
  text: () => bytes.toString('utf8', offset + headBytes, end),
});
