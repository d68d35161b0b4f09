import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { refusal } from '#shared/language/refusals.ts';

/** Four gigabytes: years of chats with their files. */
export const largestExport = 4_000_000_000;
const pieceBytes = 1 << 18;
/** Years of chats contain some ten thousand pictures, each in a file. */
const maxFiles = 500_000;

/** The text of one JSON file, piece by piece. */
export type ExportText = AsyncIterable<string>;

/**
 * Opens the JSON files of an export: the file itself, or those in the ZIP archive that ChatGPT and Claude deliver.
 * Nothing is unpacked onto the disk. Throws `import_refused` if an archive has no chats or needs a password.
 */
export async function* openExport(path: string): AsyncGenerator<ExportText, void> {
  if (!(await isZip(path))) {
    yield createReadStream(path, { encoding: 'utf8', highWaterMark: pieceBytes });
    return;
  }
  const archive = await openPromise(path, { autoClose: false, lazyEntries: true });
  try {
    for (const entry of await chatsIn(archive)) {
      if (entry.isEncrypted()) throw refusal('import_refused', 'importZipLocked');
      // The entry's declared size is checked here and compared with its content while unpacking.
      if (entry.uncompressedSize > largestExport) throw refusal('import_refused', 'importTooLarge');
      yield getText(archive, entry);
    }
  } finally {
    archive.close();
  }
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.toString('latin1') === 'PK';
  } finally {
    await file.close();
  }
}

async function* getText(archive: ZipFile, entry: Entry): ExportText {
  const decoder = new TextDecoder();
  for await (const bytes of await archive.openReadStreamPromise(entry)) yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
}

/**
 * Finds `conversations.json`. A large export has several numbered ones. Otherwise the archive's only JSON file is used.
 */
async function chatsIn(archive: ZipFile): Promise<Entry[]> {
  const files: Entry[] = [];
  if (archive.entryCount > maxFiles) throw refusal('import_refused', 'importManyFiles', { most: maxFiles });
  for await (const entry of archive.eachEntry()) {
    const isOfSystem = /^__MACOSX\/|(^|\/)\._/.test(entry.fileName);
    if (!isOfSystem && entry.fileName.endsWith('.json')) files.push(entry);
  }
  const named = files.filter(({ fileName }) => /(^|\/)conversations(-\d+)?\.json$/.test(fileName));
  const chats = named.length > 0 ? named : files.length === 1 ? files : [];
  if (chats.length === 0) throw refusal('import_refused', 'importZipEmpty');
  return chats.sort((first, second) => first.fileName.localeCompare(second.fileName, 'en', { numeric: true }));
}
