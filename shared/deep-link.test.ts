import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDeepLink } from './deep-link.ts';

test('every kind of link is parsed', () => {
  expect(readDeepLink('portico://new?prompt=Hello%2C+you%0Athere&model=openai%2Fgpt-5')).toEqual({
    kind: 'new',
    prompt: 'Hello, you\nthere',
    model: 'openai/gpt-5',
  });
  expect(readDeepLink('portico://new')).toEqual({ kind: 'new', prompt: '', model: null });
  expect(readDeepLink('PORTICO://Chat/abc/def')).toEqual({ kind: 'chat', conversationId: 'abc', messageId: 'def' });
  expect(readDeepLink('portico:chat/abc')).toEqual({ kind: 'chat', conversationId: 'abc', messageId: null });
  expect(readDeepLink('portico://models/?q=vision&sort=-input')).toEqual({
    kind: 'models',
    search: 'q=vision&sort=-input',
  });
  expect(readDeepLink('portico://models?nothing=1')).toBeNull();
  expect(readDeepLink('portico://gateway?url=https%3A%2F%2Fgw.example%2Fv1')).toEqual({
    kind: 'gateway',
    url: 'https://gw.example/v1',
  });
  expect(readDeepLink('portico://prompt?name=Short&text=Be+short.')).toEqual({
    kind: 'prompt',
    name: 'Short',
    text: 'Be short.',
  });
});

test.each([
  ['another scheme', 'https://new?prompt=a'],
  ['an unknown kind', 'portico://run?command=ls'],
  ['an unknown field', 'portico://new?prompt=a&send=true'],
  ['a field twice', 'portico://new?prompt=a&prompt=b'],
  ['a missing field', 'portico://prompt?name=a'],
  ['an invalid escape', 'portico://new?prompt=%E0%A4%A'],
  ['too many path segments', 'portico://chat/a/b/c'],
  ['a chat with a query', 'portico://chat/a?prompt=b'],
  ['a gateway that is not a web address', 'portico://gateway?url=file%3A%2F%2F%2Fetc'],
  ['a gateway with a password', 'portico://gateway?url=https%3A%2F%2Fa%3Ab%40evil.example'],
  ['a fragment', 'portico://new?prompt=a#b'],
  ['an unknown path', 'portico://new/x?prompt=a'],
  ['too long a prompt', `portico://new?prompt=${'a'.repeat(20_001)}`],
  ['a property of Object.prototype', 'portico://new?__proto__=a'],
])('a link with %s is refused', (_, link) => {
  expect(readDeepLink(link)).toBe(null);
});

test('any prompt survives in a link unchanged, and no text makes the parser throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (prompt) => {
      const link = `portico://new?${new URLSearchParams({ prompt })}`;
      expect(readDeepLink(link)).toEqual({ kind: 'new', prompt, model: null });
    }),
  );
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => void readDeepLink(`portico://${text}`)));
});
