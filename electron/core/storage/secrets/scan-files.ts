import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

const pieceBytes = 1_048_576;

export interface Scan {
  files: number;
  bytes: number;
  readonly found: { readonly file: string; readonly spelling: string }[];
  readonly unread: string[];
}

/** Looks for spellings in every file of a folder, each name once a file. Links are not followed. */
export async function scanFiles(
  folder: string,
  spellings: readonly (readonly [name: string, bytes: Buffer])[],
  signal: AbortSignal | undefined,
): Promise<Scan> {
  const scan: Scan = { files: 0, bytes: 0, found: [], unread: [] };
  const overlap = Math.max(...spellings.map(([, bytes]) => bytes.length)) - 1;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    signal?.throwIfAborted();
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const file = relative(folder, path);
    try {
      const { names, bytes } = await namesIn(path, spellings, overlap);
      scan.files += 1;
      scan.bytes += bytes;
      scan.found.push(...names.map((spelling) => ({ file, spelling })));
    } catch (error) {
      // Databases and caches come and go while they are read.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') scan.unread.push(file);
    }
  }
  return scan;
}

async function namesIn(path: string, spellings: readonly (readonly [string, Buffer])[], overlap: number) {
  const handle = await open(path, 'r');
  try {
    return await search(handle, spellings, overlap);
  } finally {
    await handle.close();
  }
}

async function search(handle: FileHandle, spellings: readonly (readonly [string, Buffer])[], overlap: number) {
  const names = new Set<string>();
  const buffer = Buffer.alloc(overlap + pieceBytes);
  let kept = 0;
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, kept, pieceBytes);
    if (bytesRead === 0) return { names: [...names], bytes };
    bytes += bytesRead;
    const piece = buffer.subarray(0, kept + bytesRead);
    for (const [name, spelling] of spellings) if (piece.includes(spelling)) names.add(name);
    // A spelling may stand across two pieces.
    const rest = piece.subarray(Math.max(0, piece.length - overlap));
    buffer.copyWithin(0, piece.length - rest.length, piece.length);
    kept = rest.length;
  }
}
