import { text } from '../text/shell-text.ts';

/** Each shortcut with its label; `keys` are alternatives. */
export const shortcuts = [
  { name: 'palette', keys: ['mod+K', 'mod+Shift+P'], label: text.search },
  { name: 'newChat', keys: ['mod+N', 'mod+Shift+O'], label: text.newChat },
  { name: 'searchAll', keys: ['mod+Shift+F'], label: text.searchAll },
  { name: 'find', keys: ['mod+F'], label: text.find },
  { name: 'undo', keys: ['mod+Z'], label: text.undo },
  { name: 'settings', keys: ['mod+,'], label: text.settings },
  { name: 'model', keys: ['mod+Shift+M'], label: text.pickModel },
  { name: 'sidebar', keys: ['mod+\\', 'mod+B'], label: text.toggleSidebar },
  { name: 'shortcuts', keys: ['mod+/'], label: text.shortcuts },
  { name: 'focusMessage', keys: ['Shift+Esc', 'mod+L'], label: text.focusMessage },
  { name: 'stop', keys: ['Esc', 'mod+.'], label: text.stop },
  { name: 'nextChat', keys: ['Alt+↓'], label: text.nextChat },
  { name: 'previousChat', keys: ['Alt+↑'], label: text.previousChat },
  { name: 'back', keys: ['mod+['], label: text.back },
  { name: 'forward', keys: ['mod+]'], label: text.forward },
  { name: 'region', keys: ['F6'], label: text.region },
] as const;

export type ShortcutAction = (typeof shortcuts)[number]['name'];

interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

const keySigns: Readonly<Record<string, string>> = { Escape: 'Esc', ArrowDown: '↓', ArrowUp: '↑' };

/** Which action a key press means, or null. `mod` is the Command key on macOS and Ctrl elsewhere. */
export function actionOf(pressed: Pressed, mac: boolean): ShortcutAction | null {
  if (mac ? pressed.ctrlKey : pressed.metaKey) return null;
  const mod = mac ? pressed.metaKey : pressed.ctrlKey;
  const key = keySigns[pressed.key] ?? (pressed.key.length === 1 ? pressed.key.toUpperCase() : pressed.key);
  const said = `${mod ? 'mod+' : ''}${pressed.altKey ? 'Alt+' : ''}${pressed.shiftKey ? 'Shift+' : ''}${key}`;
  if (said === 'Shift+F6') return 'region';
  return shortcuts.find((shortcut) => (shortcut.keys as readonly string[]).includes(said))?.name ?? null;
}
