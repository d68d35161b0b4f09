import { BrowserWindow, globalShortcut, screen } from 'electron';
import { accelerator } from '../accelerators.ts';
import { pageUrl } from '../protocol.ts';
import { backgroundColor, fencedPage } from './window.ts';

const size = { width: 560, height: 440 };

export interface QuickWindowOptions {
  readonly preload: string;
  /** Called with each window that is created. */
  readonly opened: (window: BrowserWindow) => void;
  /** Shows a chat in the main window. Null shows a new chat. */
  readonly showChat: (conversationId: string | null) => void;
}

export type QuickWindow = ReturnType<typeof openQuickWindow>;

/** The small window above all others that a system-wide shortcut shows and hides. It is created on first use. */
export function openQuickWindow({ preload, opened, showChat }: QuickWindowOptions) {
  let window: BrowserWindow | null = null;
  let bound: string | null = null;

  function create(): BrowserWindow {
    const made = new BrowserWindow({
      ...size,
      // On macOS, a panel can be above another program's full screen.
      ...(process.platform === 'darwin' ? { type: 'panel' } : {}),
      minWidth: 400,
      minHeight: 300,
      show: false,
      frame: false,
      alwaysOnTop: true,
      skipTaskbar: true,
      fullscreenable: false,
      maximizable: false,
      minimizable: false,
      backgroundColor: backgroundColor(),
      webPreferences: fencedPage(preload),
    });
    // Without `skipTransformProcessType`, macOS would remove the app from the Dock and hide its menu bar.
    made.setVisibleOnAllWorkspaces(true, { visibleOnFullScreen: true, skipTransformProcessType: true });
    made.once('ready-to-show', show);
    made.once('closed', () => {
      window = null;
    });
    opened(made);
    void made.loadURL(`${pageUrl}#quick`);
    return made;
  }

  /** Shows the window in the upper half of the screen that has the mouse pointer. */
  function show(): void {
    if (!window) return;
    const { workArea } = screen.getDisplayNearestPoint(screen.getCursorScreenPoint());
    const { width } = window.getBounds();
    window.setPosition(
      Math.round(workArea.x + (workArea.width - width) / 2),
      Math.round(workArea.y + workArea.height * 0.18),
    );
    window.show();
    window.focus();
    window.webContents.mainFrame.postMessage('portico:action', 'focusMessage');
  }

  const hide = (): void => window?.hide();

  function toggle(): void {
    if (window?.isVisible() && window.isFocused()) hide();
    else if (window) show();
    else window = create();
  }

  const take = (keys: string): boolean => {
    try {
      return globalShortcut.register(keys, toggle);
    } catch {
      return false;
    }
  };

  return {
    setKeys(keys: string | null): boolean {
      const wanted = keys === null ? null : accelerator(keys);
      if (keys !== null && wanted === null) return false;
      if (wanted === bound) return true;
      if (wanted !== null && !take(wanted)) return false;
      if (bound !== null) globalShortcut.unregister(bound);
      bound = wanted;
      if (bound === null) window?.close();
      return true;
    },
    hide,
    continueInMain(conversationId: string | null): void {
      hide();
      showChat(conversationId);
    },
  };
}
