import { gunzipSync, inflateSync } from 'node:zlib';
import { getSpellings } from '#core/backup/secrets-test.ts';

/**
 * Returns the spellings of a secret that occur in the bytes, in compressed streams inside them, or
 * across the events of a stream.
 */
export function foundIn(secret: string, bytes: Buffer): string[] {
  const spellings = getSpellings(secret);
  const layers = [['', bytes] as const, ...unpacked(bytes), ['joined: ', joinedEvents(bytes)] as const];
  return layers.flatMap(([where, layer]) =>
    spellings.flatMap(([name, spelling]) => (layer.includes(spelling) ? [`${where}${name}`] : [])),
  );
}

/** Returns every gzip or zlib stream that begins somewhere in the bytes. */
function unpacked(bytes: Buffer): (readonly [string, Buffer])[] {
  const found: (readonly [string, Buffer])[] = [];
  for (const [name, head, unpack] of [
    ['gzip: ', Buffer.from([0x1f, 0x8b, 8]), gunzipSync],
    ['zlib: ', Buffer.from([0x78, 0x9c]), inflateSync],
  ] as const) {
    for (let offset = bytes.indexOf(head); offset >= 0; offset = bytes.indexOf(head, offset + 1)) {
      try {
        found.push([name, unpack(bytes.subarray(offset))]);
      } catch {
        // These bytes only look like the head of a stream.
      }
    }
  }
  return found;
}

/** Joins the texts of a stream's events, as its reader would see them. */
function joinedEvents(bytes: Buffer): Buffer {
  const pieces = [...bytes.toString('latin1').matchAll(/"(?:text|content|arguments)":"((?:[^"\\]|\\.)*)"/g)];
  return Buffer.from(pieces.map(([, piece]) => piece).join(''), 'latin1');
}
