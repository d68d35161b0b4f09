/**
 * Every action of the app. The palette, the menus, the list of shortcuts and their rebinding are made from this list.
 * The part of the window that can perform an action at the moment registers its handler
 * (`renderer/actions/offers.ts`).
 */
interface Entry {
  readonly id: string;
  readonly name: string;
  /** The default shortcuts; the first one is displayed. */
  readonly keys?: readonly string[];
  /** The menu of the installed app. Its items have the order of this list. */
  readonly menu?: 'file' | 'view' | 'help' | 'chat' | 'go';
  /** The page that it opens, as an address. */
  readonly opens?: string;
  /** What only some hosts can do: browsers have windows and zoom of their own. */
  readonly needs?: 'windows' | 'zoom';
  /** What other programs call it. The palette searches these words but doesn't show them. */
  readonly also?: string;
}

/** The palette shows an icon, by its name in `lucide-react`. */
interface PaletteEntry extends Entry {
  readonly icon: string;
}

const groups = {
  chat: [
    { id: 'find', name: 'Find in this chat', keys: ['mod+F'], icon: 'TextSearch', menu: 'chat' },
    { id: 'model', name: 'Choose a model', keys: ['mod+Shift+M'], icon: 'Bot', menu: 'chat' },
    { id: 'compare', name: 'Compare models', icon: 'Columns2', menu: 'chat' },
    {
      id: 'chatOptions',
      name: 'Chat settings',
      icon: 'SlidersHorizontal',
      menu: 'chat',
      also: 'system prompt temperature instructions',
    },
    { id: 'webSearch', name: 'Search the web or not', icon: 'Globe', menu: 'chat', also: 'browse internet' },
    { id: 'attach', name: 'Attach files', keys: ['mod+U'], icon: 'Paperclip', menu: 'chat' },
    { id: 'stop', name: 'Stop the answer', keys: ['Esc', 'mod+.'], icon: 'Square', menu: 'chat' },
    { id: 'retryAnswer', name: 'Retry the last answer', icon: 'RotateCcw', menu: 'chat' },
    { id: 'retryAnswerOther', name: 'Retry the last answer with another model', icon: 'RefreshCw' },
    { id: 'continueAnswer', name: 'Continue the last answer', icon: 'Play' },
    { id: 'copyAnswer', name: 'Copy the last answer', keys: ['mod+Shift+C'], icon: 'Copy', menu: 'chat' },
    { id: 'editQuestion', name: 'Edit the last question', icon: 'Pencil' },
    { id: 'forkChat', name: 'Fork into a new chat', icon: 'Split' },
    { id: 'renameChat', name: 'Rename chat', icon: 'Pencil', menu: 'chat' },
    { id: 'pinChat', name: 'Pin or unpin chat', icon: 'Pin', menu: 'chat' },
    { id: 'moveChat', name: 'Move chat to a folder', icon: 'FolderInput', menu: 'chat' },
    { id: 'tagChat', name: 'Tag chat', icon: 'Tag' },
    { id: 'copyChat', name: 'Copy chat as Markdown', icon: 'ClipboardCopy' },
    { id: 'duplicateChat', name: 'Duplicate chat', icon: 'CopyPlus', menu: 'chat' },
    { id: 'exportChat', name: 'Export chat', icon: 'Download', menu: 'chat', also: 'download share as PDF' },
    { id: 'archiveChat', name: 'Archive or unarchive chat', icon: 'Archive', menu: 'chat' },
    { id: 'trashChat', name: 'Move chat to the trash', icon: 'Trash2', menu: 'chat', also: 'delete remove' },
    { id: 'restoreChat', name: 'Restore chat from the trash', icon: 'ArchiveRestore' },
  ],

  /** Actions that make no sense in a palette. */
  keyboard: [
    { id: 'palette', name: 'Search', keys: ['mod+K', 'mod+Shift+P'], menu: 'view' },
    { id: 'undo', name: 'Undo', keys: ['mod+Z'] },
    { id: 'region', name: 'Next region', keys: ['F6'] },
    { id: 'regionBack', name: 'Previous region', keys: ['Shift+F6'] },
  ],

  app: [
    { id: 'newChat', name: 'New chat', keys: ['mod+N', 'mod+Shift+O'], icon: 'SquarePen', menu: 'file' },
    { id: 'newWindow', name: 'New window', keys: ['mod+Alt+N'], icon: 'AppWindow', menu: 'file', needs: 'windows' },
    {
      id: 'temporaryChat',
      name: 'Temporary chat',
      keys: ['mod+Shift+N'],
      icon: 'MessageCircleDashed',
      menu: 'file',
      also: 'private incognito',
    },
    { id: 'newFolder', name: 'New folder', icon: 'FolderPlus', menu: 'file', also: 'new project' },
    { id: 'importChats', name: 'Import chats', icon: 'Import', menu: 'file', opens: '#settings/data' },
    { id: 'sidebar', name: 'Toggle sidebar', keys: ['mod+\\', 'mod+B'], icon: 'PanelLeft', menu: 'view' },
    {
      id: 'theme',
      name: 'Switch between light and dark theme',
      icon: 'SunMoon',
      menu: 'view',
      also: 'dark light mode',
    },
    { id: 'systemTheme', name: 'Use the theme of the system', icon: 'Monitor' },
    { id: 'density', name: 'Switch between comfortable and compact density', icon: 'Rows3' },
    {
      id: 'zoomIn',
      name: 'Larger',
      keys: ['mod+=', 'mod++', 'mod+Shift++'],
      icon: 'ZoomIn',
      menu: 'view',
      needs: 'zoom',
    },
    { id: 'zoomOut', name: 'Smaller', keys: ['mod+-'], icon: 'ZoomOut', menu: 'view', needs: 'zoom' },
    { id: 'zoomReset', name: 'Usual size', keys: ['mod+0'], icon: 'Search', menu: 'view', needs: 'zoom' },
    {
      id: 'shortcuts',
      name: 'Keyboard shortcuts',
      keys: ['mod+/'],
      icon: 'Keyboard',
      menu: 'help',
      also: 'hotkeys keys',
    },
    { id: 'focusMessage', name: 'Go to the message field', keys: ['Shift+Esc', 'mod+L'], icon: 'TextCursorInput' },
  ],

  go: [
    { id: 'back', name: 'Back', keys: ['mod+['], icon: 'ArrowLeft', menu: 'go' },
    { id: 'forward', name: 'Forward', keys: ['mod+]'], icon: 'ArrowRight', menu: 'go' },
    { id: 'nextChat', name: 'Next chat in the list', keys: ['Alt+↓'], icon: 'ArrowDown', menu: 'go' },
    { id: 'previousChat', name: 'Previous chat in the list', keys: ['Alt+↑'], icon: 'ArrowUp', menu: 'go' },
    { id: 'searchAll', name: 'Search all chats', keys: ['mod+Shift+F'], icon: 'Files', menu: 'go' },
    { id: 'archivePage', name: 'Archive', icon: 'Archive', opens: '#chats/archived' },
    { id: 'trashPage', name: 'Trash', icon: 'Trash2', opens: '#chats/trash' },
    { id: 'modelsPage', name: 'Models', icon: 'Layers', menu: 'go', opens: '#models' },
    {
      id: 'whatIfPage',
      name: 'What if: price my use on other models',
      icon: 'Split',
      menu: 'go',
      opens: '#models/what-if',
    },
    { id: 'usagePage', name: 'Usage', icon: 'Activity', menu: 'go', opens: '#usage' },
    { id: 'creditsPage', name: 'Credits', icon: 'Wallet', menu: 'go', opens: '#credits' },
    { id: 'reconciliationPage', name: 'Reconciliation', icon: 'Scale', menu: 'go', opens: '#reconciliation' },
    { id: 'accountPage', name: 'Account', icon: 'CircleUser', menu: 'go', opens: '#account' },
    { id: 'settings', name: 'Settings', keys: ['mod+,'], icon: 'Settings', opens: '#settings' },
  ],

  /** Their shortcuts work only while the conversation has the focus (WCAG 2.1.4). */
  thread: [
    { id: 'previous', name: 'Previous message', keys: ['K', '↑'] },
    { id: 'next', name: 'Next message', keys: ['J', '↓'] },
    { id: 'latest', name: 'Latest message', keys: ['End'] },
    { id: 'copy', name: 'Copy the message', keys: ['C'] },
    { id: 'copyMarkdown', name: 'Copy as Markdown', keys: ['Shift+C'] },
    { id: 'edit', name: 'Edit message', keys: ['E'] },
    { id: 'regenerate', name: 'Regenerate', keys: ['R'] },
    { id: 'retryOther', name: 'Retry with another model', keys: ['M'] },
    { id: 'continue', name: 'Continue a cut answer', keys: ['G'] },
    { id: 'fork', name: 'Fork from here', keys: ['B'] },
    { id: 'previousVersion', name: 'Previous version', keys: ['←'] },
    { id: 'nextVersion', name: 'Next version', keys: ['→'] },
    { id: 'choose', name: 'Continue with this one of several answers', keys: ['Enter'] },
    { id: 'remove', name: 'Delete message', keys: ['Delete'] },
  ],
} as const satisfies Readonly<
  Record<'chat' | 'app' | 'go', readonly PaletteEntry[]> & Record<'keyboard' | 'thread', readonly Entry[]>
>;

type Groups = typeof groups;
export type ActionGroup = keyof Groups;
type Declared = Groups[ActionGroup][number];
export type ActionId = Declared['id'];
export type ThreadAction = Groups['thread'][number]['id'];
export type WindowAction = Exclude<ActionId, ThreadAction>;
export type ActionIcon = Extract<Declared, PaletteEntry>['icon'];

export interface Action extends Entry {
  readonly id: ActionId;
  readonly group: ActionGroup;
  readonly keys: readonly string[];
  readonly icon?: ActionIcon;
}

export const actionList = Object.entries(groups).flatMap(([group, actions]) =>
  actions.map((action: Entry) => ({ keys: [], ...action, group }) as Action),
);
