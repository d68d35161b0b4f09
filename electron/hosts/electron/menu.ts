import { Menu, type MenuItemConstructorOptions } from 'electron';

/** The program's menus: the platform's own roles. The page has its own commands and shortcuts. */
export function showMenu(platform: NodeJS.Platform, packaged: boolean): void {
  const edit: MenuItemConstructorOptions = {
    label: 'Edit',
    submenu: [
      { role: 'undo' },
      { role: 'redo' },
      { type: 'separator' },
      { role: 'cut' },
      { role: 'copy' },
      { role: 'paste' },
      { role: 'pasteAndMatchStyle' },
      { role: 'delete' },
      { role: 'selectAll' },
    ],
  };
  const view: MenuItemConstructorOptions = {
    label: 'View',
    submenu: [
      { role: 'reload' },
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { type: 'separator' },
      { role: 'togglefullscreen' },
      ...(packaged ? [] : [{ role: 'toggleDevTools' as const }]),
    ],
  };
  const own: MenuItemConstructorOptions = platform === 'darwin' ? { role: 'appMenu' } : { role: 'fileMenu' };
  const help: MenuItemConstructorOptions = { role: 'help', submenu: [{ role: 'about' }] };
  Menu.setApplicationMenu(Menu.buildFromTemplate([own, edit, view, { role: 'windowMenu' }, help]));
}
