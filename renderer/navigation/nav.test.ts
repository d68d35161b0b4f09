import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getHash, getLoc, newChat } from './nav.ts';

test.each([
  '#chat',
  '#models',
  '#models?q=grok+4&can=vision%2Ctools&sort=-input',
  '#models/compare?pick=a%2Fb%2Cc%2Fd',
  '#models/what-if',
  '#usage',
  '#credits',
  '#reconciliation',
  '#account',
  '#settings',
  '#settings/gateway',
  '#temporary',
  '#chat/01JD%2F%C3%A4',
])('%s is parsed and written back unchanged', (hash) => {
  expect(getHash(getLoc(hash))).toBe(hash);
});

test('any other hash is a new chat, and parsing never fails', () => {
  expect(['', '#', '#nowhere', '#chat/%', `#chat/${'x'.repeat(65)}`].map(getLoc)).toEqual(Array(5).fill(newChat));
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(getHash(getLoc(`#${text}`))).toMatch(
        /^#(chat|temporary|models|usage|credits|reconciliation|account|settings)/,
      );
    }),
  );
});
