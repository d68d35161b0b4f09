import type { MenuItemConstructorOptions } from 'electron';
import type { MainText } from './main-text.ts';

type Role = NonNullable<MenuItemConstructorOptions['role']>;
type Item = MenuItemConstructorOptions;
const line: Item = { type: 'separator' };
const item = (role: Role, label: string): Item => ({ role, label });

/** The app’s menus: standard roles with our labels. The page has its own commands and shortcuts. */
export function menuTemplate(platform: NodeJS.Platform, packaged: boolean, text: MainText): Item[] {
  const isMac = platform === 'darwin';
  const quit = item('quit', text.quit);
  const about = item('about', text.about);
  const own: Item = isMac
    ? {
        label: 'Portico',
        submenu: [
          about,
          line,
          item('services', text.services),
          line,
          item('hide', text.hide),
          item('hideOthers', text.hideOthers),
          item('unhide', text.showAll),
          line,
          quit,
        ],
      }
    : { label: text.file, submenu: [quit] };
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
      item('reload', text.reload),
      item('resetZoom', text.usualSize),
      item('zoomIn', text.larger),
      item('zoomOut', text.smaller),
      line,
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
  return [own, edit, view, window, { ...item('help', text.help), submenu: [about] }];
}
