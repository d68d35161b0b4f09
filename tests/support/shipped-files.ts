import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * The files that a package for Linux may contain: a pattern for their names, their maximum size together in megabytes,
 * and why they are there.
 */
const shipped: readonly (readonly [pattern: RegExp, maxMb: number, why: string])[] = [
  [/^(?:portico|icudtl\.dat|(?:v8_context_)?snapshot(?:_blob)?\.bin|version|complete)$/, 260, 'Electron itself'],
  [/^(?:resources|chrome_\d+_percent)\.pak$/, 12, 'Chromium: its own pages and pictures'],
  [
    /^lib(?:EGL|GLESv2|ffmpeg|vk_swiftshader|vulkan)\.so(?:\.1)?$|^vk_swiftshader_icd\.json$/,
    30,
    'Chromium: drawing, with and without a graphics card',
  ],
  [/^chrome(?:-sandbox|_crashpad_handler)$/, 5, 'Chromium: its sandbox and its watcher'],
  [/^LICENSES?\.(?:electron\.txt|chromium\.html)$/, 20, 'licences of Electron and Chromium'],
  [
    /^locales\/[\w-]+\.pak$/,
    60,
    'Chromium: without its pak a language is not recognised, and its spelling not checked',
  ],
  [/^resources\/app-update\.yml$/, 0.01, 'written by the builder; the program reads update.json in its archive'],
  [/^resources\/app\.asar$/, 45, 'the app: all below of app.asar'],
  [/^resources\/app\.asar\.unpacked\/node_modules\//, 8, 'the two native addons, which no archive can load'],
  [
    /^app\.asar\/dist\/main\/(?:main|core-process|[\w-]+-worker)\.js$/,
    2,
    'main process, core process and their threads',
  ],
  [/^app\.asar\/dist\/main\/assets\/[^/]+\.js$/, 25, 'core and gateway, and libraries that read documents'],
  [/^app\.asar\/dist\/preload\/preload\.cjs$/, 0.01, 'what a page may reach'],
  [/^app\.asar\/dist\/renderer\/(?:index\.html|theme\.js|icon\.svg)$/, 0.01, 'the page'],
  [/^app\.asar\/dist\/renderer\/assets\/[^/]+\.(?:js|css|svg|woff2?|ttf)$/, 12, 'the page: code, styles, fonts'],
  [/^app\.asar\/dist\/renderer\/diagram\//, 8, 'the frame that draws diagrams'],
  [
    /^app\.asar\/dist\/(?:main|preload|renderer)\/(?:asset-)?licenses\.md$/,
    1.5,
    'licences of what is bundled or copied',
  ],
  [/^app\.asar\/(?:package\.json|dist\/update\.json)$/, 0.01, 'version, and where newer ones are'],
  [/^app\.asar\/node_modules\/(?:better-sqlite3|keytar|@napi-rs\/keyring-linux-\w+-gnu)\//, 8, 'the two native addons'],
];

/**
 * Returns the files of a packaged program that no pattern explains, and the groups that are larger than their maximum.
 */
export function unexplained(program: string): string[] {
  const files = [...filesIn(program), ...filesInArchive(join(program, 'resources', 'app.asar'))];
  const unknown = files.filter(({ name }) => !shipped.some(([pattern]) => pattern.test(name)));
  const grown = shipped.flatMap(([pattern, maxMb, why]) => {
    const bytes = files.filter(({ name }) => pattern.test(name)).reduce((sum, { size }) => sum + size, 0);
    return bytes > maxMb * 1e6 ? [`${why}: ${(bytes / 1e6).toFixed(1)} MB`] : [];
  });
  return [...unknown.map(({ name }) => name), ...grown];
}

interface Shipped {
  readonly name: string;
  readonly size: number;
}

const filesIn = (folder: string): Shipped[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: relative(folder, path), size: statSync(path).size }));

interface Folder {
  readonly files?: Readonly<Record<string, Folder & { readonly size?: number }>>;
}

/** Reads the table at the head of an asar archive: four lengths, the last of which is that of the JSON that follows. */
function filesInArchive(archive: string): Shipped[] {
  const file = openSync(archive, 'r');
  try {
    const lengths = Buffer.alloc(16);
    readSync(file, lengths, 0, 16, 0);
    const table = Buffer.alloc(lengths.readUInt32LE(12));
    readSync(file, table, 0, table.length, 16);
    return entries(JSON.parse(table.toString('utf8')), 'app.asar');
  } finally {
    closeSync(file);
  }
}

const entries = ({ files = {} }: Folder, path: string): Shipped[] =>
  Object.entries(files).flatMap(([name, entry]) =>
    entry.files ? entries(entry, `${path}/${name}`) : [{ name: `${path}/${name}`, size: entry.size ?? 0 }],
  );
