import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** The gateway's folders stand in an order: none of them needs, by whatever way, one that needs it. */

const root = fileURLToPath(new URL('../gateway', import.meta.url));
const sources = globSync('**/*.ts', { cwd: root }).filter((path) => !/\.test\.ts$|^testing\//.test(path));
const roomOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '(top)');

function imports(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  const found = text.matchAll(/(?:from |import\()'(\.[^']+)'/g);
  return [...found].map(([, specifier = '']) => relative(root, join(root, dirname(path), specifier)));
}

/** Room → rooms it imports, each with the import that does it. */
function roomGraph(files: readonly (readonly [path: string, imported: readonly string[]])[]) {
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

test('no room of the gateway needs itself', () => {
  expect(circleIn(roomGraph(sources.map((path) => [path, imports(path)])))).toBeNull();
});

test('a circle is found, however long', () => {
  const circle = roomGraph([
    ['a/1.ts', ['b/1.ts']],
    ['b/1.ts', ['b/2.ts']],
    ['b/2.ts', ['c/1.ts']],
    ['c/1.ts', ['b/1.ts']],
  ]);
  expect(circleIn(circle)).toEqual(['b/2.ts → c/1.ts', 'c/1.ts → b/1.ts']);
});

test('no two files of the gateway have one name, and no room is larger than it can be read', () => {
  const names = Map.groupBy(sources, (path) => basename(path));
  expect([...names].filter(([, paths]) => paths.length > 1)).toEqual([]);
  const rooms = Map.groupBy(sources, (path) => dirname(path));
  expect([...rooms].filter(([, paths]) => paths.length > 25).map(([room]) => room)).toEqual([]);
  expect(rooms.get('.')?.length).toBeLessThanOrEqual(6);
});
