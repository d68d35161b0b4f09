import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

/**
 * Returns the numbers of headings (`1.4`), of their numbered points (`1.4.7`) and of the rows
 * of a numbered table (`0.2`).
 */
function getSections(markdown: string): ReadonlySet<string> {
  let heading = '';
  return new Set(
    markdown.split('\n').flatMap((line) => {
      const [, title, point, row] = /^#{2,3} (\d+(?:\.\d+)?)|^(\d+)\. |^\| (\d+\.\d+) \|/.exec(line) ?? [];
      if (title) heading = title;
      return title ?? row ?? (point ? `${heading}.${point}` : []);
    }),
  );
}

/** Returns the sections that a text refers to with §, except those of other documents. */
const references = (text: string) =>
  [...text.replace(/RFC \d+ §[\d.]+(, §[\d.]+)*/g, '').matchAll(/§ ?(\d+(?:\.\d+)*)/g)].map(
    ([, number = '']) => number,
  );

const sections = getSections(read('docs/wire-contract.md'));

test('every § names a section of the wire contract', () => {
  const files = globSync(['{gateway,shared,electron,renderer,tests,scripts,docs}/**/*.{ts,tsx,mjs,md}', '*.{md,ts}'], {
    cwd: root,
  });
  const referring = files.flatMap((file) => references(read(file)).map((number) => [file, number] as const));
  expect(referring.length).toBeGreaterThan(500);
  expect(referring.filter(([, number]) => !sections.has(number)).map((pair) => pair.join(' §'))).toEqual([]);
});

test.each([
  ['1.11', false],
  ['1.4.10', false],
  ['0.12', false],
  ['1.4.7', true],
])('whether there is a section %s: %s', (number, there) => {
  expect(references(`wire contract §${number}`).map((named) => sections.has(named))).toEqual([there]);
});

test('sections of other documents are not looked for', () => {
  expect(references('RFC 9110 §13.1.2, §5.1')).toEqual([]);
});
