import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  /** The content as text, or as it is stored: raw deflate. */
  readonly data: string | { readonly deflated: Buffer };
  /** The size that the archive claims. By default it is the real size, or 0 for deflated content. */
  readonly size?: number;
  /** Stores the data once, in the place of the entry at this index. */
  readonly sharedWith?: number;
}

/** Makes a ZIP archive that may contain false claims. Its entries need not be in memory uncompressed. */
export function getZip(entries: readonly ZipEntry[]): Buffer {
  const [local, central]: Buffer[][] = [[], []];
  const places: number[] = [];
  let offset = 0;
  for (const { name, data, size, sharedWith } of entries) {
    const stored = typeof data === 'string' ? deflateRawSync(data) : data.deflated;
    const facts = Buffer.alloc(22);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(typeof data === 'string' ? crc32(data) : 0, 10);
    facts.writeUInt32LE(stored.length, 14);
    facts.writeUInt32LE(size ?? (typeof data === 'string' ? Buffer.byteLength(data) : 0), 18);
    const named = Buffer.concat([facts, uint16(Buffer.byteLength(name)), uint16(0)]);
    const place = sharedWith === undefined ? offset : (places[sharedWith] ?? 0);
    places.push(place);
    if (sharedWith === undefined) {
      const head = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), named, Buffer.from(name)]);
      local?.push(head, stored);
      offset += head.length + stored.length;
    }
    const attributes = Buffer.alloc(14);
    attributes.writeUInt32LE(place, 10);
    central?.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), named, attributes, Buffer.from(name));
  }
  const list = Buffer.concat(central ?? []);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Math.min(entries.length, 65_535), 4);
  end.writeUInt16LE(Math.min(entries.length, 65_535), 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...(local ?? []), list, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
