import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  /** As text, or as it is stored: raw deflate. */
  readonly data: string | { readonly deflated: Buffer };
  /** What is said of its size; else what it is, or nothing for what comes deflated. */
  readonly size?: number;
  /** Stored once, in the place of the entry at this index. */
  readonly sharedWith?: number;
}

/** A ZIP archive that may say what is not so, of entries that need not be in memory whole. */
export function getZip(entries: readonly ZipEntry[]): Buffer {
  const [local, central]: Buffer[][] = [[], []];
  const places: number[] = [];
  let at = 0;
  for (const { name, data, size, sharedWith } of entries) {
    const stored = typeof data === 'string' ? deflateRawSync(data) : data.deflated;
    const facts = Buffer.alloc(22);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(typeof data === 'string' ? crc32(data) : 0, 10);
    facts.writeUInt32LE(stored.length, 14);
    facts.writeUInt32LE(size ?? (typeof data === 'string' ? Buffer.byteLength(data) : 0), 18);
    const named = Buffer.concat([facts, uint16(Buffer.byteLength(name)), uint16(0)]);
    const place = sharedWith === undefined ? at : (places[sharedWith] ?? 0);
    places.push(place);
    if (sharedWith === undefined) {
      const head = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), named, Buffer.from(name)]);
      local?.push(head, stored);
      at += head.length + stored.length;
    }
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(place, 10);
    central?.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), named, rest, Buffer.from(name));
  }
  const list = Buffer.concat(central ?? []);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Math.min(entries.length, 65_535), 4);
  end.writeUInt16LE(Math.min(entries.length, 65_535), 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...(local ?? []), list, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
