import type { WindowAction } from './action-list.ts';

/** The actions in the menus of the installed app, in menu order. */
export const actionMenus = {
  file: ['newChat', 'newWindow', 'temporaryChat', 'newFolder', 'importChats'],
  view: ['palette', 'sidebar', 'theme', 'zoomIn', 'zoomOut', 'zoomReset'],
  help: ['shortcuts'],
  chat: [
    'find',
    'model',
    'compare',
    'chatOptions',
    'webSearch',
    'attach',
    'stop',
    'retryAnswer',
    'copyAnswer',
    'renameChat',
    'pinChat',
    'moveChat',
    'duplicateChat',
    'exportChat',
    'archiveChat',
    'trashChat',
  ],
  go: [
    'back',
    'forward',
    'nextChat',
    'previousChat',
    'searchAll',
    'modelsPage',
    'whatIfPage',
    'usagePage',
    'creditsPage',
    'reconciliationPage',
    'accountPage',
  ],
} as const satisfies Readonly<Record<string, readonly WindowAction[]>>;

export type ActionMenu = keyof typeof actionMenus;
