import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Each dangerous function has one wrapper, which checks its input. No other file may call it. */

const root = fileURLToPath(new URL('../', import.meta.url));
const sources = globSync('{gateway,electron,renderer,shared}/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !/\.test\.tsx?$|\/testing\//.test(file))
  .map((file) => ({ file, text: readFileSync(`${root}${file}`, 'utf8') }));

const sinks: readonly (readonly [what: string, pattern: RegExp, wrappers: readonly string[]])[] = [
  ['HTML from a text', /\.(inner|outer)HTML\s*=|dangerouslySetInnerHTML|insertAdjacentHTML|document\.write/, []],
  ['a program from a text', /\beval\(|new Function\(|from 'node:vm'/, []],
  ['a link of the system', /shell\.openExternal/, ['electron/hosts/electron/open-outside.ts']],
  [
    'a process',
    /from 'node:child_process'|StdioClientTransport\(/,
    [
      // These files run pg_dump and psql, whose paths the operator sets.
      'gateway/operations/backup/postgres-backup.ts',
      'electron/hosts/web/open-external.ts',
      'electron/core/tools/servers/mcp-connection.ts',
      'electron/core/tools/servers/search-path.ts',
    ],
  ],
  [
    'a page in a window',
    /\.load(URL|File)\(/,
    [
      'electron/hosts/electron/print-pdf.ts',
      'electron/hosts/electron/windows/quick-window.ts',
      'electron/hosts/electron/windows/window.ts',
    ],
  ],
  ['a page of another origin', /<webview|<iframe(?![^>]*sandbox)/, []],
  [
    'a connection of one’s own',
    /import \{[^}]*\b(request|connect)\b[^}]*\} from 'node:(https?|net|tls|http2)'/,
    ['electron/core/app/network/test-way.ts', 'gateway/providers/upstream/guarded-download.ts'],
  ],
];

test.each(sinks)('%s: called by its wrapper only', (_what, pattern, wrappers) => {
  const found = sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
  expect(found.toSorted()).toEqual(wrappers.toSorted());
});
