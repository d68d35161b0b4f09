import { type Action, type ActionId, actionList, isThreadAction } from './action-list.ts';
import type { Bindings } from './bindings.ts';

/**
 * Returns the other action that already uses these keys. Shortcuts of the conversation and of the window are kept
 * apart, so they can't conflict.
 */
export function getHolder(bindings: Bindings, id: ActionId, keys: string): ActionId | null {
  const thread = (wanted: ActionId) => actionList.some((action) => action.id === wanted && isThreadAction(action));
  const holder = actionList.find(
    (other: Action) => other.id !== id && thread(other.id) === thread(id) && bindings[other.id].includes(keys),
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
  const inThread = actionList.some((action) => action.id === id && isThreadAction(action));
  const held = /^(?:mod|Alt)\+/.test(keys);
  if (inThread) return held ? 'reserved' : null;
  // Keys without a modifier would type a character, except for keys that write nothing.
  return held || /^(?:Shift\+)?(?:F\d{1,2}|Esc)$/.test(keys) ? null : 'bare';
}
