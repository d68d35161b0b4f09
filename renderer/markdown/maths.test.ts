import type { Token } from 'marked';
import { expect, test } from 'vitest';
import { lexWhole } from './parser/parse-documents.ts';

const formulas = (source: string): [tex: string, display: boolean][] => {
  const found: [string, boolean][] = [];
  const walk = (tokens: readonly Token[]) => {
    for (const token of tokens) {
      if (token.type === 'maths') found.push([token.tex, token.display]);
      if ('tokens' in token && token.tokens) walk(token.tokens);
      if (token.type === 'list') walk(token.items);
    }
  };
  walk(lexWhole(source));
  return found;
};

test.each<[string, [string, boolean][]]>([
  ['so $x_1 + 2$ is', [['x_1 + 2', false]]],
  ['so \\(x_1\\) is', [['x_1', false]]],
  ['$$\na^2\n$$', [['a^2', true]]],
  ['\\[\na^2\n\\]', [['a^2', true]]],
  ['inline $$a$$ here', [['a', true]]],
  [
    '- item $a$\n- item \\[b\\]',
    [
      ['a', false],
      ['b', true],
    ],
  ],
  ['text\n$$\nb\n$$\nmore', [['b', true]]],
  ['cost $\\$5$ each', [['\\$5', false]]],
])('%j contains its formulas', (source, expected) => expect(formulas(source)).toEqual(expected));

test.each([
  'it costs $5 and then $6',
  'from $ 5 to $ 6',
  'a $5-$10 range',
  '`$x$` is code',
  '```\n$$\nx\n$$\n```',
  'unfinished $x + 1',
  '$$\nunfinished',
  '\\[unfinished',
  '$$\na\n\nb\n$$',
  '$$ $$',
  'escaped \\$x\\$',
])('%j contains no formula', (source) => expect(formulas(source)).toEqual([]));
