import { isMac } from '../browser/platform.ts';

const macNames: Record<string, string> = { mod: '⌘', Shift: '⇧', Alt: '⌥', Enter: '⏎', Esc: 'esc' };

/** Formats `mod+Shift+M` as `⌘⇧M` on macOS and as `Ctrl Shift M` on other systems. */
export function keyNames(keys: string): string {
  // The key itself may be a plus.
  const parts = keys.split(/\+(?!$)/);
  if (isMac) return parts.map((part) => macNames[part] ?? part).join('');
  return parts.map((part) => (part === 'mod' ? 'Ctrl' : part)).join(' ');
}

const signs: Readonly<Record<string, string>> = {
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Backspace: 'Delete',
  ' ': 'Space',
};

export type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/** Returns the name of a pressed key as shortcuts write it. */
export const keySign = (key: string): string => signs[key] ?? (key.length === 1 ? key.toUpperCase() : key);
/**
 * Returns the pressed keys as shortcuts write them. Null for a modifier alone and for the other system’s modifier.
 * `mod` is the Command key on macOS and Ctrl on other systems.
 */
export function getKeys(pressed: Pressed, mac: boolean): string | null {
  if ((mac ? pressed.ctrlKey : pressed.metaKey) || /^(?:Control|Meta|Shift|Alt|AltGraph|Dead)$/.test(pressed.key))
    return null;
  const sign = keySign(pressed.key);
  const mod = mac ? pressed.metaKey : pressed.ctrlKey;
  return `${mod ? 'mod+' : ''}${pressed.altKey ? 'Alt+' : ''}${pressed.shiftKey ? 'Shift+' : ''}${sign}`;
}
