/**
 * Every action of the app, for the palette, the menus, the list of shortcuts and their rebinding. `keys` are the
 * default shortcuts; the first one is the one that is displayed. Whatever isn't needed for the first paint is in other
 * files: the names in `action-names.ts`, the menus in `action-menus.ts`. The part of the window that can perform an
 * action at the moment registers its handler (`renderer/actions/offers.ts`).
 */
interface Entry {
  readonly id: string;
  /**
   * `keyboard`: actions that make no sense in a palette. `thread`: shortcuts that work only while the conversation has
   * the focus (WCAG 2.1.4).
   */
  readonly group: 'chat' | 'app' | 'go' | 'keyboard' | 'thread';
  readonly keys: readonly string[];
}

export const actionList = [
  { id: 'newChat', group: 'app', keys: ['mod+N', 'mod+Shift+O'] },
  { id: 'newWindow', group: 'app', keys: ['mod+Alt+N'] },
  { id: 'temporaryChat', group: 'app', keys: ['mod+Shift+N'] },
  { id: 'newFolder', group: 'app', keys: [] },
  { id: 'importChats', group: 'app', keys: [] },
  { id: 'palette', group: 'keyboard', keys: ['mod+K', 'mod+Shift+P'] },
  { id: 'sidebar', group: 'app', keys: ['mod+\\', 'mod+B'] },
  { id: 'theme', group: 'app', keys: [] },
  { id: 'systemTheme', group: 'app', keys: [] },
  { id: 'density', group: 'app', keys: [] },
  { id: 'zoomIn', group: 'app', keys: ['mod+=', 'mod++', 'mod+Shift++'] },
  { id: 'zoomOut', group: 'app', keys: ['mod+-'] },
  { id: 'zoomReset', group: 'app', keys: ['mod+0'] },
  { id: 'shortcuts', group: 'app', keys: ['mod+/'] },
  { id: 'undo', group: 'keyboard', keys: ['mod+Z'] },
  { id: 'focusMessage', group: 'app', keys: ['Shift+Esc', 'mod+L'] },
  { id: 'region', group: 'keyboard', keys: ['F6'] },
  { id: 'regionBack', group: 'keyboard', keys: ['Shift+F6'] },

  { id: 'find', group: 'chat', keys: ['mod+F'] },
  { id: 'model', group: 'chat', keys: ['mod+Shift+M'] },
  { id: 'compare', group: 'chat', keys: [] },
  { id: 'chatOptions', group: 'chat', keys: [] },
  { id: 'webSearch', group: 'chat', keys: [] },
  { id: 'attach', group: 'chat', keys: ['mod+U'] },
  { id: 'stop', group: 'chat', keys: ['Esc', 'mod+.'] },
  { id: 'retryAnswer', group: 'chat', keys: [] },
  { id: 'retryAnswerOther', group: 'chat', keys: [] },
  { id: 'continueAnswer', group: 'chat', keys: [] },
  { id: 'copyAnswer', group: 'chat', keys: ['mod+Shift+C'] },
  { id: 'editQuestion', group: 'chat', keys: [] },
  { id: 'forkChat', group: 'chat', keys: [] },
  { id: 'renameChat', group: 'chat', keys: [] },
  { id: 'pinChat', group: 'chat', keys: [] },
  { id: 'moveChat', group: 'chat', keys: [] },
  { id: 'tagChat', group: 'chat', keys: [] },
  { id: 'copyChat', group: 'chat', keys: [] },
  { id: 'duplicateChat', group: 'chat', keys: [] },
  { id: 'exportChat', group: 'chat', keys: [] },
  { id: 'archiveChat', group: 'chat', keys: [] },
  { id: 'trashChat', group: 'chat', keys: [] },
  { id: 'restoreChat', group: 'chat', keys: [] },

  { id: 'back', group: 'go', keys: ['mod+['] },
  { id: 'forward', group: 'go', keys: ['mod+]'] },
  { id: 'nextChat', group: 'go', keys: ['Alt+↓'] },
  { id: 'previousChat', group: 'go', keys: ['Alt+↑'] },
  { id: 'searchAll', group: 'go', keys: ['mod+Shift+F'] },
  { id: 'archivePage', group: 'go', keys: [] },
  { id: 'trashPage', group: 'go', keys: [] },
  { id: 'modelsPage', group: 'go', keys: [] },
  { id: 'whatIfPage', group: 'go', keys: [] },
  { id: 'usagePage', group: 'go', keys: [] },
  { id: 'creditsPage', group: 'go', keys: [] },
  { id: 'reconciliationPage', group: 'go', keys: [] },
  { id: 'accountPage', group: 'go', keys: [] },
  { id: 'settings', group: 'go', keys: ['mod+,'] },

  { id: 'previous', group: 'thread', keys: ['K', '↑'] },
  { id: 'next', group: 'thread', keys: ['J', '↓'] },
  { id: 'latest', group: 'thread', keys: ['End'] },
  { id: 'copy', group: 'thread', keys: ['C'] },
  { id: 'copyMarkdown', group: 'thread', keys: ['Shift+C'] },
  { id: 'edit', group: 'thread', keys: ['E'] },
  { id: 'regenerate', group: 'thread', keys: ['R'] },
  { id: 'retryOther', group: 'thread', keys: ['M'] },
  { id: 'continue', group: 'thread', keys: ['G'] },
  { id: 'fork', group: 'thread', keys: ['B'] },
  { id: 'previousVersion', group: 'thread', keys: ['←'] },
  { id: 'nextVersion', group: 'thread', keys: ['→'] },
  { id: 'choose', group: 'thread', keys: ['Enter'] },
  { id: 'remove', group: 'thread', keys: ['Delete'] },
] as const satisfies readonly Entry[];

export type Action = (typeof actionList)[number];
export type ActionId = Action['id'];
export type ThreadAction = Extract<Action, { group: 'thread' }>['id'];
export type WindowAction = Exclude<ActionId, ThreadAction>;

export const isThreadAction = ({ group }: Pick<Action, 'group'>): boolean => group === 'thread';
