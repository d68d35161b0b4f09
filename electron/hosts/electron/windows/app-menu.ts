import { type BrowserWindow, Menu } from 'electron';

/** Beneath the upper row’s left end, where its button is. */
const byKeys = { x: 8, y: 44 };

/** Shows the application’s menus as one, at a place in the window’s pixels. */
export function showAppMenu(window: BrowserWindow, { x, y } = byKeys): void {
  Menu.getApplicationMenu()?.popup({ window, x: Math.round(x), y: Math.round(y) });
}

/** The keys that open a menu bar where there is one: F10, and Alt that was pressed for itself. */
export function openMenuByKeys(window: BrowserWindow): void {
  const page = window.webContents;
  let altAlone = false;
  page.on('before-input-event', (event, { type, key, control, shift, meta, alt }) => {
    const others = control || shift || meta;
    if (type === 'keyUp' && key === 'Alt' && altAlone) showAppMenu(window);
    altAlone = type === 'keyDown' && key === 'Alt' && !others;
    if (type !== 'keyDown' || key !== 'F10' || others || alt) return;
    event.preventDefault();
    showAppMenu(window);
  });
  // Windows are moved and links are opened with Alt held.
  page.on('input-event', (_, { type }) => {
    if (type === 'mouseDown') altAlone = false;
  });
  window.on('blur', () => {
    altAlone = false;
  });
}
