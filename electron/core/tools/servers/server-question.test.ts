import { expect, test } from 'vitest';
import type { Language } from '#shared/language/messages.ts';
import { serverQuestion } from './server-question.ts';
import type { ServerWay } from './server-way.ts';

const program: ServerWay = {
  transport: {
    type: 'stdio',
    command: '/usr/bin/env',
    args: ['greet', '--twice'],
    folder: '/home',
    variables: ['NODE_OPTIONS', 'TOKEN'],
  },
  secrets: { NODE_OPTIONS: '--max-old-space-size=64', TOKEN: 'secret' },
};
const address: ServerWay = {
  transport: { type: 'http', url: 'https://tools.example/mcp', headers: ['x-key'] },
  secrets: { 'x-key': 'secret' },
};

/** The question's own words, without the facts that it shows. */
const words = (way: ServerWay, language: Language) => {
  const { title, advice, yes, no, facts } = serverQuestion(way, language);
  return [title, advice, yes, no, ...facts.map(({ label }) => label)];
};

test.each([program, address])('the user is asked in the language of the app: $transport.type', (way) => {
  expect(words(way, 'en-XA').filter((text) => !/^⟦.+⟧$/.test(text))).toEqual([]);
  expect(words(way, 'en-XA')).toHaveLength(words(way, 'en').length);
  const lines = (language: Language) => serverQuestion(way, language).facts.flatMap((fact) => fact.lines);
  expect(lines('en-XA')).toEqual(lines('en'));
});

test('the host gets the language of the question for its own labels', () => {
  expect(serverQuestion(program, 'en-XA').language).toBe('en-XA');
});
