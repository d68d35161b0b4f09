import { expect, test } from 'vitest';
import { type Messages, messages } from './messages.ts';

const english = {
  title: 'Chats',
  count: (chats: number) => (chats === 1 ? '1 chat' : `${chats} chats`),
  states: { on: 'On', off: '' },
  all: ['One', 'Two'],
};
const words = messages(english);

test('English messages are returned as written', () => {
  expect(words('en')).toBe(english);
});

test('every message, nested ones included, is marked and longer in the pseudo-language and keeps its parameters', () => {
  const pseudo = words('en-XA');
  expect(pseudo.title).toBe('⟦Çhåtš~~⟧');
  expect(pseudo.count(3)).toBe('⟦3 chats~~~⟧');
  expect(pseudo.states).toEqual({ on: '⟦Öñ~⟧', off: '' });
  expect(pseudo.all).toEqual(['⟦Öñé~⟧', '⟦Tŵö~⟧'.replace('ŵ', 'w')]);
  expect(words('en-XA')).toBe(pseudo);
});

test('a translation must have every message with the same parameters', () => {
  const german: Messages<typeof english> = {
    title: 'Chats',
    count: (chats) => `${chats} Chats`,
    states: { on: 'An', off: '' },
    all: ['Eins', 'Zwei'],
  };
  // @ts-expect-error a message is missing
  const less: Messages<typeof english> = { title: '', count: () => '', states: { on: '', off: '' } };
  // @ts-expect-error a value is of another type
  const other: Messages<typeof english> = { ...german, count: (chats: string) => chats };
  expect([less, other]).toHaveLength(2);
});
