import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getProgram } from '../scripts/own-programs.mjs';

/**
 * The boundaries between the layers are lint rules. These tests give the linter a forbidden import for each rule and
 * expect that rule's message. A rule that is removed, or added without an example, fails.
 */

interface Pattern {
  readonly group: readonly string[];
  readonly message: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const config = JSON.parse(await readFile(join(root, 'biome.json'), 'utf8'));
const fences = (config.overrides as { includes: string[]; linter: unknown }[])
  .slice(0, -1)
  .map(({ includes, linter }) => ({
    folder: includes.join(','),
    patterns: getPatterns(linter),
  }));

/** A file that each rule guards. */
const guarded: Record<string, string> = {
  'shared/**': 'shared/wire/model.ts',
  'gateway/**': 'gateway/engine/engine.ts',
  'gateway/providers/*/**': 'gateway/providers/acme/acme.ts',
  'electron/core/**': 'electron/core/core.ts',
  'electron/hosts/web/**': 'electron/hosts/web/main.ts',
  'electron/hosts/electron/**': 'electron/hosts/electron/main.ts',
  'renderer/**': 'renderer/features/chat/use-chat.ts',
  'renderer/**/*.tsx': 'renderer/features/chat/chat-page.tsx',
};

const allowed = [
  ['shared/contract/chat/chat.ts', '@orpc/contract'],
  ['gateway/http/app.ts', 'hono'],
  ['gateway/http/app.ts', '#shared/money.ts'],
  ['gateway/providers/openai/openai.ts', '../openai-compatible/stream.ts'],
  ['gateway/providers/openai/openai.ts', '../provider.ts'],
  ['electron/core/core.ts', './chat/chat-feature.ts'],
  ['electron/core/chat/chat-feature.ts', '../storage/database/db.ts'],
  ['electron/core/chat/chat-feature.ts', './turn.ts'],
  ['electron/core/rpc/router.ts', '../chat/chat-feature.ts'],
  ['electron/core/gateways/gateway/gateway-feature.ts', '#gateway/gateway.ts'],
  ['electron/hosts/electron/main.ts', 'electron'],
  ['electron/hosts/web/main.ts', '#core/core.ts'],
  ['renderer/features/chat/use-chat.ts', '../../api/api.ts'],
  ['renderer/features/chat/chat-page.tsx', 'react'],
  ['shared/markdown/to-html.ts', 'hono/html', '{ html as it }'],
  ['electron/core/transfer/conversation-html.ts', 'hono/html', '{ html as it }'],
  ['renderer/markdown/block.tsx', 'marked', '{ Token as it }'],
] as const;

/** Foreign text becomes markup in one way only, and no file may use another one. */
const unsafe = [
  'shared/markdown/a.ts',
  'gateway/a.ts',
  'electron/core/transfer/a.ts',
  'renderer/features/chat/a.tsx',
].flatMap((path) =>
  [
    ...['marked', 'Marked', 'parse', 'parseInline', 'parser', 'Parser', 'Renderer', 'lexer'].map((name) => [
      'marked',
      name,
    ]),
    ...['raw'].map((name) => ['hono/html', name]),
  ].flatMap(([specifier = '', name]) => [
    { path, specifier, names: `{ ${name} as it }` },
    { path, specifier, names: '* as it' },
  ]),
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-layers-'));
  await writeFile(join(folder, 'biome.json'), JSON.stringify({ ...config, vcs: { enabled: false } }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('every rule refuses the imports it names, with its own message', async () => {
  const cases = fences.flatMap(({ folder: area, patterns }, fence) =>
    patterns.flatMap(({ group, message }, pattern) =>
      group
        .filter((glob) => !glob.startsWith('!'))
        .map((glob, index) => ({
          file: beside(guarded[area] ?? `no example for ${area}`, `case-${fence}-${pattern}-${index}`),
          specifier: sample(glob),
          message,
        })),
    ),
  );
  expect(cases.length).toBeGreaterThan(50);
  const objections = await lint(cases);
  const silent = cases.filter(({ file, message }) => !objections.get(file)?.includes(message));
  expect(silent).toEqual([]);
});

test('imports that the architecture allows pass', async () => {
  const cases = allowed.map(([path, specifier, names], index) => ({
    file: beside(path, `fine-${index}`),
    specifier,
    names,
  }));
  const objections = await lint(cases);
  expect(cases.filter(({ file }) => objections.has(file))).toEqual([]);
});

test('only the lexer may import the Markdown parser, and no file may treat text as markup', async () => {
  const cases = unsafe.map(({ path, ...sourceFile }, index) => ({
    file: beside(path, `unsafe-${index}`),
    ...sourceFile,
  }));
  const objections = await lint(cases);
  expect(cases.filter(({ file }) => !objections.has(file))).toEqual([]);
});

test("a feature may use another feature's store only as the type of an argument", async () => {
  const core = join(root, 'electron', 'core');
  const files = (await readdir(core, { recursive: true }))
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => /^(?!composition\/).*\/.*(?<!\.test)\.ts$/.test(file));
  expect(files.length).toBeGreaterThan(20);
  const taken = await Promise.all(
    files.map(async (file) => {
      const imports =
        (await readFile(join(core, file), 'utf8')).match(/^import .*'\.\.\/[^'/]+\/.*-store\.ts';$/gm) ?? [];
      return imports.filter((line) => !line.startsWith('import type ')).map((line) => `${file}: ${line}`);
    }),
  );
  expect(taken.flat()).toEqual([]);
});

function getPatterns(linter: unknown): Pattern[] {
  const { rules } = linter as { rules: { style: { noRestrictedImports: { options: { patterns: Pattern[] } } } } };
  return rules.style.noRestrictedImports.options.patterns;
}

/** Makes an import that the glob should match. */
const sample = (glob: string): string =>
  glob
    .replace(/^\*\*\/\.\.\//, '../../')
    .replace(/^\*\*\//, '../../')
    .replaceAll('**', 'x.ts')
    .replaceAll('*', 'y');

const beside = (path: string, name: string): string =>
  join(dirname(path), `${name}.${path.endsWith('x') ? 'tsx' : 'ts'}`);

async function lint(
  cases: readonly { file: string; specifier: string; names?: string | undefined }[],
): Promise<Map<string, string>> {
  for (const { file, specifier, names = 'it' } of cases) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), `import ${names} from '${specifier}';\nit();\n`);
  }
  const files = cases.map(({ file }) => join(folder, file));
  const flags = [
    getProgram('biome'),
    'lint',
    '--only=style/noRestrictedImports',
    '--reporter=json',
    '--max-diagnostics=none',
    `--config-path=${folder}`,
  ];
  const options = { cwd: folder, maxBuffer: 2 ** 26 };
  const run = await promisify(execFile)(process.execPath, [...flags, ...files], options).catch((error) => error);
  const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: { message: string; location: { path: string } }[] };
  const found = new Map<string, string>();
  for (const { message, location } of diagnostics)
    found.set(location.path, `${found.get(location.path) ?? ''}${message}`);
  return found;
}
