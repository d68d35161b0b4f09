import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** Folders stand in an order: none of them needs, by whatever way, one that needs it, types included. */

const root = fileURLToPath(new URL('..', import.meta.url));

/** A room of the gateway is a folder with all in it; a room of the app is any folder. */
const areas = [
  { name: 'gateway', folders: ['gateway'], roomOf: (path: string) => path.split('/').slice(1, -1)[0] ?? '(top)' },
  { name: 'app', folders: ['renderer', 'electron/core', 'shared/contract'], roomOf: dirname },
];

const filesOf = (folders: readonly string[]): string[] =>
  folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,css}`, { cwd: root }));

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

const linesOf = (path: string): number => textOf(path).trimEnd().split('\n').length;

const isPart = (path: string): boolean => /(?<!\.test)\.tsx?$/.test(path) && !path.startsWith('gateway/testing/');

const aliases: Readonly<Record<string, string>> = {
  '#core': 'electron/core',
  '#shared': 'shared',
  '#gateway': 'gateway',
};

function imports(path: string): string[] {
  const found = textOf(path).matchAll(/(?:from |import\(|import |URL\()'(\.{1,2}|#[a-z]+)(\/[^'?]+)/g);
  return [...found].map(([, start = '', rest = '']) => join(aliases[start] ?? join(dirname(path), start), rest));
}

/** Room → rooms it imports, each with the import that does it. */
function roomGraph(
  files: readonly (readonly [path: string, imported: readonly string[]])[],
  roomOf: (path: string) => string,
) {
  const graph = new Map<string, Map<string, string>>();
  for (const [path, imported] of files) {
    for (const other of imported) {
      if (roomOf(path) === roomOf(other)) continue;
      const needs = graph.get(roomOf(path)) ?? new Map<string, string>();
      graph.set(roomOf(path), needs.set(roomOf(other), `${path} → ${other}`));
    }
  }
  return graph;
}

/** A way from a room back to itself, as imports; null where there is none. */
function circleIn(graph: ReturnType<typeof roomGraph>): string[] | null {
  const finished = new Set<string>();
  function walk(room: string, way: readonly string[], steps: readonly string[]): string[] | null {
    if (way.includes(room)) return [...steps.slice(way.indexOf(room))];
    if (finished.has(room)) return null;
    for (const [next, step] of graph.get(room) ?? []) {
      const circle = walk(next, [...way, room], [...steps, step]);
      if (circle) return circle;
    }
    finished.add(room);
    return null;
  }
  for (const room of graph.keys()) {
    const circle = walk(room, [], []);
    if (circle) return circle;
  }
  return null;
}

describe.each(areas)('$name', ({ name, folders, roomOf }) => {
  const files = filesOf(folders);
  const parts = files.filter(isPart);

  test('rooms import each other without circles', () => {
    expect(parts.length).toBeGreaterThan(100);
    const inArea = new Set(parts);
    const needs = parts.map((path) => [path, imports(path).filter((other) => inArea.has(other))] as const);
    expect(circleIn(roomGraph(needs, roomOf))).toBeNull();
  });

  test('no two files have the same name, and no room is too large', () => {
    const names = Map.groupBy(parts, (path) => basename(path));
    expect([...names].filter(([, paths]) => paths.length > 1)).toEqual([]);
    const counted = name === 'app' ? files : parts;
    const rooms = Map.groupBy(counted, (path) => dirname(path));
    expect([...rooms].filter(([, paths]) => paths.length > 25).map(([room]) => room)).toEqual([]);
    expect(folders.filter((folder) => (rooms.get(folder)?.length ?? 0) > 6)).toEqual([]);
    expect(counted.filter((path) => linesOf(path) > 300)).toEqual([]);
  });
});

test('no object is spread where it is written: that hides fields that nobody knows', () => {
  const written = filesOf(['shared', 'gateway', 'electron', 'renderer']).filter((path) =>
    /^\s*\.\.\.\{/m.test(textOf(path)),
  );
  expect(written).toEqual([]);
});

test('only the window’s start knows all of the interface', () => {
  const guests = filesOf(['renderer']).filter((path) => isPart(path) && !/^renderer\/(app\/|main\.ts$)/.test(path));
  expect(guests.filter((path) => imports(path).some((other) => other.startsWith('renderer/app/')))).toEqual([]);
});

test('a circle is found, however long', () => {
  const circle = roomGraph(
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
