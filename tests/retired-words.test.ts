import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/**
 * Words that `docs/glossary.md` has retired. `tests/retired-words.json` has how often each still stands where; a count that rises fails, and
 * so does one that has fallen and was not written down: `PORTICO_COUNT_WORDS=1` writes it.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const kept = join(root, 'tests', 'retired-words.json');

/** Words of their own, and as parts of an identifier. */
const words = ['told', 'tells', 'tell', 'said', 'says', 'heard', 'books', 'sought', 'wallet', 'leeway', 'reliance'];
/** Names that have a form. */
const names: Readonly<Record<string, RegExp>> = {
  'mostX, leastX, longestX': /^(most|least|longest)[A-Z]/,
  xOf: /^[a-z]\w*Of$/,
};
/** Names of JavaScript and JSON Schema, and fields of the contract. */
const allowed = new Set([
  'indexOf',
  'lastIndexOf',
  'valueOf',
  'oneOf',
  'allOf',
  'anyOf',
  'asOf',
  'pricesAsOf',
  'priceAsOf',
]);

type Places = Record<'identifiers' | 'comments' | 'test names' | 'log events' | 'docs', string[]>;

/** The words of every kind of text in a source file, in lower case, and the identifiers whole. */
function partsOfSource(text: string): { readonly names: string[]; readonly places: Places } {
  const comments = [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g)].map(([comment]) => comment);
  const titles = [...text.matchAll(/\b(?:test|describe|it)(?:\.\w+)*\(\s*(['"`])(.*?)\1/g)].map(
    ([, , title = '']) => title,
  );
  const events = [...text.matchAll(/\bevent: '([\w-]+)'/g)].map(([, event = '']) => event);
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, '').replace(/'[^'\n]*'|"[^"\n]*"/g, '');
  const found = code.match(/[A-Za-z_$][\w$]*/g) ?? [];
  return {
    names: found,
    places: {
      identifiers: found.flatMap((name) => name.split(/(?=[A-Z])|_/)),
      comments,
      'test names': titles,
      'log events': events,
      docs: [],
    },
  };
}

const wordsIn = (texts: readonly string[]): string[] =>
  texts.flatMap(
    (text) =>
      text
        .toLowerCase()
        .replaceAll('price book', '')
        .match(/[a-z]+/g) ?? [],
  );

function count(): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = {};
  const add = (word: string, place: string) => {
    const row = counts[word] ?? {};
    counts[word] = { ...row, [place]: (row[place] ?? 0) + 1 };
  };
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  for (const file of files) {
    const isSource = /\.(ts|tsx|mjs)$/.test(file);
    const isDoc = /\.md$/.test(file) && !/^(CHANGELOG|docs\/(glossary|proof))\.md$/.test(file);
    if ((!isSource && !isDoc) || file === 'tests/retired-words.test.ts') continue;
    const text = readFileSync(join(root, file), 'utf8');
    const { names: found, places } = isSource
      ? partsOfSource(text)
      : { names: [], places: { docs: [text] } as unknown as Places };
    for (const [place, texts] of Object.entries(places))
      for (const word of wordsIn(texts)) if (words.includes(word)) add(word, place);
    for (const [form, pattern] of Object.entries(names))
      for (const name of found) if (pattern.test(name) && !allowed.has(name)) add(form, 'identifiers');
  }
  return Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

test('no retired word stands more often than it did', () => {
  const counted = count();
  if (process.env.PORTICO_COUNT_WORDS) writeFileSync(kept, `${JSON.stringify(counted, null, 2)}\n`);
  expect(counted).toEqual(JSON.parse(readFileSync(kept, 'utf8')));
});

test('words are found in every kind of place', () => {
  const source = `/** Tells it. */\nconst toldCosts = 1; // books\ntest('what is said', () => log({ event: 'costs_told' }));`;
  const { names: found, places } = partsOfSource(source);
  expect(found).toContain('toldCosts');
  expect(wordsIn(places.identifiers)).toContain('told');
  expect(wordsIn(places.comments)).toEqual(expect.arrayContaining(['tells', 'books']));
  expect(wordsIn(places['test names'])).toContain('said');
  expect(wordsIn(places['log events'])).toContain('told');
});
