import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Sentences belong in catalogues, so that every language has them (docs/decisions/056-messages-in-catalogues.md). */

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Catalogues, and code whose readers know English: models, developers, and people who have
 * started a server in a terminal.
 */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  catalogues: ['shared/language/', 'renderer/text/', '-text.ts'],
  'texts for models': [
    ...['electron/core/tools/built-in/', 'electron/core/tools/servers/mcp-connection.ts'],
    ...['electron/core/request/history.ts', 'electron/core/chat/rounds.ts'],
  ],
  'output in the terminal of the web host': ['electron/hosts/web/main.ts', 'electron/hosts/web/start-web.ts'],
  'what no person is shown': [
    ...['electron/hosts/electron/protocol.ts', 'renderer/api/web-session.ts'],
    ...['renderer/features/drafts/attachments/pdf-page.ts', 'renderer/features/library/transfer/print-page.ts'],
  ],
};

const sources = globSync('{electron,renderer}/**/*.{ts,tsx}', { cwd: root }).filter(
  (path) => !/\.(test|d)\.tsx?$/.test(path),
);

/**
 * Matches quoted text that starts with a capital letter and ends like a sentence, and any text that is written
 * directly into an `AppError`.
 */
const quoted = ["'", '"', '`'].map((quote) => `${quote}[A-Z][^${quote}\\n]* [^${quote}\\n]*[.?!…]${quote}`);
const sentences = new RegExp([...quoted, 'new AppError\\(\\s*[^,()]+,\\s*[\'"`]'].join('|'), 'g');

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

const sentencesIn = (path: string): string[] =>
  withoutComments(readFileSync(join(root, path), 'utf8')).match(sentences) ?? [];

const isExcepted = (path: string) =>
  Object.values(exceptions)
    .flat()
    .some((part) => path.includes(part));

test('no sentence for a person is outside the catalogues', () => {
  const found = sources.filter((path) => !isExcepted(path)).map((path) => [path, sentencesIn(path)] as const);
  expect(Object.fromEntries(found.filter(([, inside]) => inside.length > 0))).toEqual({});
});

test('every listed exception still exists', () => {
  const needed = sources.filter((path) => sentencesIn(path).length > 0);
  const { catalogues: _catalogues, ...others } = exceptions;
  const idle = Object.values(others)
    .flat()
    .filter((part) => !needed.some((path) => path.includes(part)));
  expect(idle).toEqual([]);
});

test.each([
  "throw new AppError('tool_failed', 'There is no such tool');",
  'throw new AppError(\n  code,\n  `No model`, { cause });',
  "const problem = 'It could not be started.';",
  'say("Port 1 is used. Choose another one.")',
  'notify(`There is no folder "it".`)',
])('a sentence is found in %s', (code) => {
  expect(code.match(sentences)).toHaveLength(1);
});
