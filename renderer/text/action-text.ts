import { actionList } from '#shared/actions/action-list.ts';
import { actionNames } from '#shared/actions/action-names.ts';
import { language, words } from './language.ts';

export const actionText = actionNames(language);
/** What other programs call an action. */
export const alsoCalled = words(Object.fromEntries(actionList.map(({ id, also }) => [id, also])));

export const text = words({
  groups: { chat: 'This chat', app: 'Actions', go: 'Go to', keyboard: 'Keyboard', thread: 'In the conversation' },
  title: 'Command palette',
  search: 'Search chats, models and commands',
  recent: 'Recent',
  chats: 'Chats',
  messages: 'Messages',
  models: 'Models',
  prompts: 'Prompts',
  settings: 'Settings',
  modelHere: 'for this chat',
  modelNew: 'for a new chat',
  languageLabel: (name: string) => `Language: ${name}`,
  nothing: (query: string) => `Nothing is called or says “${query}”.`,
  more: 'More',
  searchFor: (query: string) => `Search all chats for “${query}”`,
  ask: (query: string) => `Ask “${query}” in a new chat`,
  searching: 'Searching messages',
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  move: 'choose',
  open: 'open',
  close: 'close',
  rebind: {
    note: 'Choose a shortcut, then press the new keys.',
    inBrowser: 'In a browser some keys belong to the browser and do not arrive here.',
    filter: 'Filter shortcuts',
    none: 'No shortcut',
    add: (name: string) => `Add a shortcut: ${name}`,
    change: (keys: string, name: string) => `${keys}: change the shortcut of ${name}`,
    remove: (keys: string, name: string) => `Remove ${keys} from ${name}`,
    reset: (name: string) => `Back to the default: ${name}`,
    resetAll: 'Reset all shortcuts',
    press: 'Press keys…',
    pressing: (name: string) => `Press the new keys for ${name}. Tab leaves it as it is.`,
    taken: (keys: string, name: string) => `${keys} belongs to “${name}”.`,
    takeOver: 'Use it here instead',
    cancel: 'Leave it',
    reserved: (keys: string) => `${keys} belongs to text fields or to the system.`,
    bare: (keys: string) => `${keys} alone would be typed. Hold Ctrl, Command or Alt.`,
    failed: 'Shortcuts not saved',
    nothing: 'No shortcut matches',
  },
});
