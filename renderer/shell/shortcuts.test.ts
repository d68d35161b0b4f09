import { expect, test } from 'vitest';
import { actionOf, shortcuts } from './shortcuts.ts';

const press = (key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey', boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...held,
});

test('mod is Ctrl, and the Command key on macOS', () => {
  expect(actionOf(press('k', { ctrlKey: true }), false)).toBe('palette');
  expect(actionOf(press('k', { metaKey: true }), true)).toBe('palette');
  expect(actionOf(press('k', { ctrlKey: true }), true)).toBe(null);
  expect(actionOf(press('k'), false)).toBe(null);
});

test('Alt with an arrow goes from chat to chat; with a letter it writes one', () => {
  expect(actionOf(press('ArrowDown', { altKey: true }), false)).toBe('nextChat');
  expect(actionOf(press('ArrowUp', { altKey: true }), true)).toBe('previousChat');
  expect(actionOf(press('ArrowUp'), false)).toBe(null);
  expect(actionOf(press('k', { altKey: true, ctrlKey: true }), false)).toBe(null);
});

test('no two actions share a shortcut', () => {
  const keys = shortcuts.flatMap((shortcut) => [...shortcut.keys]);
  expect(new Set(keys).size).toBe(keys.length);
});

test('Esc stops, Shift+Esc goes to the message, F6 goes both ways', () => {
  expect(actionOf(press('Escape'), false)).toBe('stop');
  expect(actionOf(press('Escape', { shiftKey: true }), false)).toBe('focusMessage');
  expect(actionOf(press('F6'), false)).toBe('region');
  expect(actionOf(press('F6', { shiftKey: true }), false)).toBe('region');
});
