import { Menu, nativeImage, Tray } from 'electron';
import { actionNames } from '#shared/actions/action-names.ts';
import type { Language } from '#shared/language/messages.ts';
import { mainText } from './main-text.ts';
import icon from './tray.png?inline';

export interface TrayOptions {
  readonly language: () => Language;
  readonly open: () => void;
  readonly newChat: () => void;
  readonly quit: () => void;
}

/** The tray icon, shown while the app may keep running without a window. */
export function openTray({ language, open, newChat, quit }: TrayOptions) {
  let tray: Tray | null = null;

  function menu(): Menu {
    const text = mainText(language());
    return Menu.buildFromTemplate([
      { label: text.openWindow, click: open },
      { label: actionNames(language()).newChat, click: newChat },
      { type: 'separator' },
      { label: text.quit, click: quit },
    ]);
  }

  return {
    /** Returns false if this desktop has no tray. */
    show(wanted: boolean): boolean {
      if (!wanted) {
        tray?.destroy();
        tray = null;
        return true;
      }
      try {
        tray ??= create(open);
        tray.setContextMenu(menu());
        return true;
      } catch {
        return false;
      }
    },
    isShown: (): boolean => tray !== null,
  };
}

function create(open: () => void): Tray {
  const tray = new Tray(nativeImage.createFromDataURL(icon));
  tray.setToolTip('Portico');
  tray.on('click', open);
  return tray;
}
