import { isMac } from '../browser/platform.ts';

const macNames: Record<string, string> = { mod: '⌘', Shift: '⇧', Alt: '⌥', Enter: '⏎', Esc: 'esc' };

/** `mod+Shift+M` is `⌘⇧M` on macOS and `Ctrl Shift M` elsewhere. */
export function keyNames(keys: string): string {
  const parts = keys.split('+');
  if (isMac) return parts.map((part) => macNames[part] ?? part).join('');
  return parts.map((part) => (part === 'mod' ? 'Ctrl' : part)).join(' ');
}
