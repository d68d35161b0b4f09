import type { MenuItemConstructorOptions } from 'electron';
import { type Action, type ActionId, actionList } from '#shared/actions/action-list.ts';
import { actionNames } from '#shared/actions/action-names.ts';
import { type Bindings, type ChangedKeys, getBindings } from '#shared/actions/bindings.ts';
import type { Language } from '#shared/language/messages.ts';
import { accelerator } from './accelerators.ts';
import { mainText } from './main-text.ts';

type Role = NonNullable<MenuItemConstructorOptions['role']>;
type Item = MenuItemConstructorOptions;
const line: Item = { type: 'separator' };
const item = (role: Role, label: string): Item => ({ role, label });

export interface MenuOptions {
  readonly platform: NodeJS.Platform;
  readonly packaged: boolean;
  readonly language: Language;
  readonly shortcuts: ChangedKeys;
  /** Asks the page to run an action. */
  readonly run: (action: ActionId) => void;
}

/** The app's menus: standard roles, and the app's actions with their shortcuts. */
export function menuTemplate({ platform, packaged, language, shortcuts, run }: MenuOptions): Item[] {
  const text = mainText(language);
  const names = actionNames(language);
  const bindings = getBindings(shortcuts);
  const isMac = platform === 'darwin';
  const toItem = (id: ActionId): Item => ({ label: names[id], click: () => run(id), ...getAccelerator(bindings, id) });
  const actions = (menu: Action['menu']): Item[] =>
    actionList.filter((action) => action.menu === menu).map(({ id }) => toItem(id));
  const settings = toItem('settings');
  const quit = item('quit', text.quit);
  const about = item('about', text.about);
  const own: Item[] = isMac
    ? [
        {
          label: 'Portico',
          submenu: [
            about,
            line,
            settings,
            line,
            item('services', text.services),
            line,
            item('hide', text.hide),
            item('hideOthers', text.hideOthers),
            item('unhide', text.showAll),
            line,
            quit,
          ],
        },
      ]
    : [];
  const file: Item = {
    label: text.file,
    submenu: [...actions('file'), ...(isMac ? [line, item('close', text.close)] : [line, settings, line, quit])],
  };
  const edit: Item = {
    label: text.edit,
    submenu: [
      item('undo', text.undo),
      item('redo', text.redo),
      line,
      item('cut', text.cut),
      item('copy', text.copy),
      item('paste', text.paste),
      item('pasteAndMatchStyle', text.pastePlain),
      item('delete', text.delete),
      item('selectAll', text.selectAll),
    ],
  };
  const view: Item = {
    label: text.view,
    submenu: [
      ...actions('view'),
      line,
      item('reload', text.reload),
      item('togglefullscreen', text.fullScreen),
      ...(packaged ? [] : [item('toggleDevTools', text.developerTools)]),
    ],
  };
  const window: Item = {
    ...item('window', text.window),
    submenu: [
      item('minimize', text.minimise),
      item('zoom', text.zoom),
      ...(isMac ? [line, item('front', text.allToFront)] : [item('close', text.close)]),
    ],
  };
  return [
    ...own,
    file,
    edit,
    { label: text.chat, submenu: actions('chat') },
    { label: text.go, submenu: actions('go') },
    view,
    window,
    { ...item('help', text.help), submenu: [...actions('help'), line, about] },
  ];
}

/**
 * Returns the shortcut in Electron's notation. Where possible it is only displayed: the page handles the keys, because
 * a text field may need them itself. macOS handles whatever is displayed, so keys without Command are left out there.
 */
function getAccelerator(bindings: Bindings, id: ActionId): Item {
  // A text field may need keys without Ctrl or Command.
  const shown = bindings[id].filter((keys) => !keys.startsWith('Alt+')).map(accelerator);
  const first = shown.find((keys) => keys !== null);
  return first === undefined ? {} : { accelerator: first, registerAccelerator: false };
}
