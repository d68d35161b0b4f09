import { afterEach, expect, test } from 'vitest';
import { actionList } from '#shared/actions/action-list.ts';
import { getBindings } from '#shared/actions/bindings.ts';
import { getHolder, keysProblem } from '#shared/actions/rebinding.ts';
import { useBindings } from './bindings.ts';
import { getThreadAction, getWindowAction } from './shortcuts.ts';

afterEach(() => useBindings.setState(getBindings({})));

const press = (key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey', boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...held,
});

test('mod is Ctrl, or the Command key on macOS', () => {
  expect(getWindowAction(press('k', { ctrlKey: true }), false)).toBe('palette');
  expect(getWindowAction(press('k', { metaKey: true }), true)).toBe('palette');
  expect(getWindowAction(press('k', { ctrlKey: true }), true)).toBe(null);
  expect(getWindowAction(press('k'), false)).toBe(null);
});

test('Alt with an arrow switches chats, and Alt with a letter types it', () => {
  expect(getWindowAction(press('ArrowDown', { altKey: true }), false)).toBe('nextChat');
  expect(getWindowAction(press('ArrowUp', { altKey: true }), true)).toBe('previousChat');
  expect(getWindowAction(press('ArrowUp'), false)).toBe(null);
  expect(getWindowAction(press('k', { altKey: true, ctrlKey: true }), false)).toBe(null);
});

test('Esc stops the answer, Shift+Esc focuses the message field, and F6 moves between regions in both directions', () => {
  expect(getWindowAction(press('Escape'), false)).toBe('stop');
  expect(getWindowAction(press('Escape', { shiftKey: true }), false)).toBe('focusMessage');
  expect(getWindowAction(press('F6'), false)).toBe('region');
  expect(getWindowAction(press('F6', { shiftKey: true }), false)).toBe('regionBack');
});

test('single letters are shortcuts in the conversation only', () => {
  expect(getThreadAction(press('r'), false)).toBe('regenerate');
  expect(getThreadAction(press('r', { ctrlKey: true }), false)).toBe(null);
  expect(getWindowAction(press('r'), false)).toBe(null);
});

test('default shortcuts are unique, and each action may be bound to its own default', () => {
  for (const thread of [true, false]) {
    const keys = actionList.filter((action) => (action.group === 'thread') === thread).flatMap(({ keys }) => keys);
    expect(new Set(keys).size).toBe(keys.length);
  }
  for (const { id, keys } of actionList) {
    const problems = keys.map((key) => keysProblem(id, key));
    expect({ id, problems }).toEqual({ id, problems: keys.map(() => null) });
  }
});

test('changed keys replace the default, an empty list removes it, and unknown actions are ignored', () => {
  useBindings.setState(getBindings({ newChat: ['mod+J'], find: [], gone: ['mod+K'] }));
  expect(getWindowAction(press('j', { ctrlKey: true }), false)).toBe('newChat');
  expect(getWindowAction(press('n', { ctrlKey: true }), false)).toBe(null);
  expect(getWindowAction(press('f', { ctrlKey: true }), false)).toBe(null);
  expect(getWindowAction(press('k', { ctrlKey: true }), false)).toBe('palette');
});

test('keys of another action conflict only within the same scope', () => {
  const bindings = getBindings({});
  expect(getHolder(bindings, 'newChat', 'mod+K')).toBe('palette');
  expect(getHolder(bindings, 'palette', 'mod+K')).toBe(null);
  expect(getHolder(bindings, 'edit', 'R')).toBe('regenerate');
  expect(getHolder(bindings, 'newChat', 'R')).toBe(null);
});

test('keys of fields, of the system and for typing cannot be bound', () => {
  expect(keysProblem('newChat', 'mod+C')).toBe('reserved');
  expect(keysProblem('newChat', 'Tab')).toBe('reserved');
  expect(keysProblem('newChat', 'J')).toBe('bare');
  expect(keysProblem('newChat', 'Shift+J')).toBe('bare');
  expect(keysProblem('newChat', 'F7')).toBe(null);
  expect(keysProblem('edit', 'J')).toBe(null);
  expect(keysProblem('edit', 'mod+J')).toBe('reserved');
});
