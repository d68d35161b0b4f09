import { gunzipSync, inflateSync } from 'node:zlib';
import { getSpellings } from '#core/backup/secrets-test.ts';

/** The spellings of a secret that stand in some bytes, in what is compressed within them, or across the events of a stream. */
export function foundIn(secret: string, bytes: Buffer): string[] {
  const spellings = getSpellings(secret);
  const layers = [['', bytes] as const, ...unpacked(bytes), ['joined: ', joinedEvents(bytes)] as const];
  return layers.flatMap(([where, layer]) =>
    spellings.flatMap(([name, spelling]) => (layer.includes(spelling) ? [`${where}${name}`] : [])),
  );
}

/** Every gzip or zlib stream that begins somewhere in the bytes. */
function unpacked(bytes: Buffer): (readonly [string, Buffer])[] {
  const found: (readonly [string, Buffer])[] = [];
  for (const [name, head, unpack] of [
    ['gzip: ', Buffer.from([0x1f, 0x8b, 8]), gunzipSync],
    ['zlib: ', Buffer.from([0x78, 0x9c]), inflateSync],
  ] as const) {
    for (let at = bytes.indexOf(head); at >= 0; at = bytes.indexOf(head, at + 1)) {
      try {
        found.push([name, unpack(bytes.subarray(at))]);
      } catch {
        // Three bytes that only look like the head of one.
      }
    }
  }
  return found;
}

/** The texts of a stream's events, one after the other, as a reader would see them. */
function joinedEvents(bytes: Buffer): Buffer {
  const pieces = [...bytes.toString('latin1').matchAll(/"(?:text|content|arguments)":"((?:[^"\\]|\\.)*)"/g)];
  return Buffer.from(pieces.map(([, piece]) => piece).join(''), 'latin1');
}
