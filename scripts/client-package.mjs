// `npm run package -- --client [--out DIR]` packs `shared/client` as the package `@portico/client`, in a tarball.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { environment, npm, prepareSources, root, say, UserError } from './bootstrap.mjs';
import { foreground } from './child.mjs';

/** The client's dependencies, in the versions of the repository. */
const needed = ['zod', 'eventsource-parser'];

/** Compiles the client and packs it into `release`, or into the folder in `words`. Returns an exit code. */
export async function packageClient(words) {
  const out = outFolder(words);
  const node = prepareSources();
  const folder = mkdtempSync(join(tmpdir(), 'portico-client-'));
  try {
    const lib = join(folder, 'lib');
    const compiler = [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ...compilerOptions(lib)];
    const compiled = await foreground(node, compiler, { cwd: root, env: environment(node) });
    if (compiled !== 0) return compiled;
    for (const name of readdirSync(lib, { recursive: true })) {
      if (name.endsWith('.d.ts')) nameAsEmitted(join(lib, name));
    }
    cpSync(join(root, 'shared', 'client', 'README.md'), join(folder, 'README.md'));
    cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
    mkdirSync(out, { recursive: true });
    const packed = npm(['pack', '--pack-destination', out], folder);
    if (packed === 0) say(`the client is packed in ${out}.`);
    return packed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function outFolder(words) {
  const [option, folder, ...rest] = words;
  if (option === undefined) return join(root, 'release');
  if (option !== '--out' || !folder || rest.length > 0)
    throw new UserError('--client takes --out DIR, and nothing else.', 2);
  return resolve(folder);
}

/** Makes the package.json. Versions, licence and author are those of the repository. */
function manifest() {
  const { version, license, author, engines, devDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return {
    name: '@portico/client',
    version,
    description: 'The client of the Portico gateway, and of any gateway with its interface.',
    license,
    author,
    engines,
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './lib/client/index.d.ts', default: './lib/client/index.js' } },
    files: ['lib'],
    dependencies: Object.fromEntries(needed.map((name) => [name, devDependencies[name]])),
  };
}

const compilerOptions = (outDir) => [
  ...['-p', join(root, 'shared', 'client'), '--noEmit', 'false', '--outDir', outDir, '--rootDir', join(root, 'shared')],
  ...['--declaration', '--rewriteRelativeImportExtensions', '--target', 'es2022', '--incremental', 'false'],
];

/** TypeScript leaves import paths in declarations as they are in the source, so `.ts` has to become `.js`. */
function nameAsEmitted(file) {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll(/((?:from |import\()["'])(\.[^"']*)\.ts(["'])/g, '$1$2.js$3'));
}
