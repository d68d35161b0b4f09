import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** Which folder may import which. Imports of types count like imports of values. */

const root = fileURLToPath(new URL('..', import.meta.url));

/** The folders of each area. A folder may import only those that stand before it. */
const orders: Readonly<Record<string, readonly string[]>> = {
  gateway: [
    ...['runtime', 'storage', 'access', 'models', 'ledger', 'providers', 'engine', 'http', 'api', 'operations'],
    ...['composition', '.', 'cli'],
  ],
  'electron/core': [
    ...['runtime', 'storage', 'worker', 'app', 'gateways', 'rpc', 'backup', 'conversations', 'transfer', 'request'],
    ...['billing', 'files', 'tools', 'chat', 'composition', '.'],
  ],
  'renderer/features': [
    ...['gateways', 'search', 'drafts', 'links', 'models', 'welcome', 'billing', 'library', 'prompts', 'chat'],
    ...['settings', 'palette'],
  ],
};

/**
 * Folders that every feature of the core may use. Of other features it may use only the stores;
 * everything else is passed to it.
 */
const shared = [
  ...[
    'storage/',
    'runtime/',
    'request/',
    'worker/',
    'billing/costs/',
    'chat/routing/',
    'tools/calls/',
    'tools/servers/',
  ],
  ...['gateways/connection/', 'gateways/models/'],
];

const getFiles = (folders: readonly string[]): string[] =>
  folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,css}`, { cwd: root }));

const getText = (path: string): string => readFileSync(join(root, path), 'utf8');

const isPart = (path: string): boolean => /(?<!\.test)\.tsx?$/.test(path);

const aliases: Readonly<Record<string, string>> = {
  '#core': 'electron/core',
  '#shared': 'shared',
  '#gateway': 'gateway',
};

function imports(path: string): string[] {
  const found = getText(path).matchAll(/(?:from |import\(|import |URL\()'(\.{1,2}|#[a-z]+)(\/[^'?]+)/g);
  return [...found].map(([, start = '', tail = '']) => join(aliases[start] ?? join(dirname(path), start), tail));
}

/** Maps each folder to the folders it imports, each with an import that does so. */
function folderGraph(
  files: readonly (readonly [path: string, imported: readonly string[]])[],
  getFolder: (path: string) => string,
) {
  const graph = new Map<string, Map<string, string>>();
  for (const [path, imported] of files) {
    for (const other of imported) {
      if (getFolder(path) === getFolder(other)) continue;
      const needs = graph.get(getFolder(path)) ?? new Map<string, string>();
      graph.set(getFolder(path), needs.set(getFolder(other), `${path} → ${other}`));
    }
  }
  return graph;
}

/** Returns a path from a folder back to itself, as imports, or null if there is none. */
function circleIn(graph: ReturnType<typeof folderGraph>): string[] | null {
  const finished = new Set<string>();
  function walk(folder: string, visited: readonly string[], steps: readonly string[]): string[] | null {
    if (visited.includes(folder)) return [...steps.slice(visited.indexOf(folder))];
    if (finished.has(folder)) return null;
    for (const [next, step] of graph.get(folder) ?? []) {
      const circle = walk(next, [...visited, folder], [...steps, step]);
      if (circle) return circle;
    }
    finished.add(folder);
    return null;
  }
  for (const folder of graph.keys()) {
    const circle = walk(folder, [], []);
    if (circle) return circle;
  }
  return null;
}

/** Returns the folder of an area that a path lies in: `.` for a file of the area itself. */
const folderIn = (area: string, path: string): string =>
  path
    .slice(area.length + 1)
    .split('/')
    .slice(0, -1)[0] ?? '.';

describe.each(Object.entries(orders))('%s', (area, order) => {
  const parts = getFiles([area]).filter(isPart);
  const known = new Set(parts);

  test('has the listed folders, and none imports a later one', () => {
    expect(new Set(parts.map((path) => folderIn(area, path)))).toEqual(new Set(order));
    const place = (path: string) => order.indexOf(folderIn(area, path));
    const upward = parts.flatMap((path) =>
      imports(path)
        .filter((other) => known.has(other) && place(other) > place(path))
        .map((other) => `${path} → ${other}`),
    );
    expect(upward).toEqual([]);
  });
});

test('no folder of the app imports a folder that needs it, directly or indirectly', () => {
  const parts = getFiles(['renderer', 'electron/core', 'shared/contract']).filter(isPart);
  expect(parts.length).toBeGreaterThan(600);
  const known = new Set(parts);
  const needs = parts.map((path) => [path, imports(path).filter((other) => known.has(other))] as const);
  expect(circleIn(folderGraph(needs, dirname))).toBeNull();
});

test('a feature of the core imports nothing of other features except their stores', () => {
  const core = 'electron/core';
  const getFeature = (path: string) =>
    path
      .slice(core.length + 1)
      .split('/')
      .slice(0, -1)
      .slice(0, 2)
      .join('/');
  const isFeature = (path: string) => !/^(\.|composition|rpc)$/.test(folderIn(core, path));
  const crossing = getFiles([core])
    .filter((path) => isPart(path) && isFeature(path))
    .flatMap((path) =>
      imports(path)
        .filter((other) => other.startsWith(`${core}/`) && getFeature(other) !== getFeature(path))
        .filter((other) => !other.startsWith(`${getFeature(path)}/`.replace(/^/, `${core}/`)))
        .filter((other) => !other.endsWith('-store.ts') && !shared.some((part) => other.startsWith(`${core}/${part}`)))
        .map((other) => `${path} → ${other}`),
    );
  expect(crossing).toEqual([]);
});

test('no object literal is spread into another: that hides unknown fields from the type check', () => {
  const written = getFiles(['shared', 'gateway', 'electron', 'renderer']).filter((path) =>
    /^\s*\.\.\.\{/m.test(getText(path)),
  );
  expect(written).toEqual([]);
});

test("only the window's start may import all of the interface", () => {
  const guests = getFiles(['renderer']).filter((path) => isPart(path) && !/^renderer\/(app\/|main\.ts$)/.test(path));
  expect(guests.filter((path) => imports(path).some((other) => other.startsWith('renderer/app/')))).toEqual([]);
});

test('a circle of any length is found', () => {
  const circle = folderGraph(
    [
      ['a/1.ts', ['b/1.ts']],
      ['b/1.ts', ['b/2.ts']],
      ['b/2.ts', ['c/1.ts']],
      ['c/1.ts', ['b/1.ts']],
    ],
    dirname,
  );
  expect(circleIn(circle)).toEqual(['b/2.ts → c/1.ts', 'c/1.ts → b/1.ts']);
});
