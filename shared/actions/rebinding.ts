import { type ActionId, actionList } from './action-list.ts';
import type { Bindings } from './bindings.ts';

const isThreadAction = (id: ActionId) => actionList.some((action) => action.id === id && action.group === 'thread');

/**
 * Returns the other action that already uses these keys. Shortcuts of the conversation and of the window are kept
 * apart, so they can't conflict.
 */
export function getHolder(bindings: Bindings, id: ActionId, keys: string): ActionId | null {
  const holder = actionList.find(
    (other) => other.id !== id && isThreadAction(other.id) === isThreadAction(id) && bindings[other.id].includes(keys),
  );
  return holder?.id ?? null;
}

/** Keys that text fields or the operating system use. No action may take them. */
const reserved = new Set([
  ...['mod+C', 'mod+V', 'mod+X', 'mod+A', 'mod+Shift+V', 'mod+Shift+Z', 'mod+Y', 'mod+Q', 'mod+W', 'mod+Enter'],
  ...['Tab', 'Shift+Tab', 'mod+Tab', 'Shift+Enter', 'Alt+F4'],
]);

/** Why these keys can't be bound to this action; null if they can. */
export function keysProblem(id: ActionId, keys: string): 'reserved' | 'bare' | null {
  if (reserved.has(keys)) return 'reserved';
  const held = /^(?:mod|Alt)\+/.test(keys);
  if (isThreadAction(id)) return held ? 'reserved' : null;
  // Keys without a modifier would type a character, except for keys that write nothing.
  return held || /^(?:Shift\+)?(?:F\d{1,2}|Esc)$/.test(keys) ? null : 'bare';
}
