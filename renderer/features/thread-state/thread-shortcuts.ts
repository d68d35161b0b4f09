import { text } from '../../text/chat-text.ts';

/** Keys that work while the conversation has the focus, and only then (WCAG 2.1.4). */
export const threadShortcuts = [
  { name: 'previous', keys: ['K', '↑'], label: text.keys.previous },
  { name: 'next', keys: ['J', '↓'], label: text.keys.next },
  { name: 'latest', keys: ['End'], label: text.keys.latest },
  { name: 'copy', keys: ['C'], label: text.keys.copy },
  { name: 'copyMarkdown', keys: ['Shift+C'], label: text.copyMarkdown },
  { name: 'edit', keys: ['E'], label: text.edit },
  { name: 'regenerate', keys: ['R'], label: text.regenerate },
  { name: 'retryOther', keys: ['M'], label: text.keys.retryOther },
  { name: 'continue', keys: ['G'], label: text.keys.continue },
  { name: 'previousVersion', keys: ['←'], label: text.previousVersion },
  { name: 'nextVersion', keys: ['→'], label: text.nextVersion },
  { name: 'choose', keys: ['Enter'], label: text.keys.choose },
  { name: 'remove', keys: ['Delete'], label: text.removeMessage },
] as const;

export type ThreadAction = (typeof threadShortcuts)[number]['name'];

const named: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Backspace: 'Delete',
};

interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

/** The action of a key in the conversation, or null. */
export function threadActionOf(pressed: Pressed): ThreadAction | null {
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return null;
  const key = pressed.key.length === 1 ? pressed.key.toUpperCase() : (named[pressed.key] ?? pressed.key);
  const said = pressed.shiftKey ? `Shift+${key}` : key;
  return threadShortcuts.find(({ keys }) => (keys as readonly string[]).includes(said))?.name ?? null;
}
