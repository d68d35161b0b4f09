import { app, BrowserWindow, Notification } from 'electron';
import type { EndedNotice } from '#core/runtime/host/host.ts';
import type { MainText } from './main-text.ts';
import { mainWindow } from './windows/window.ts';

export interface NoticesOptions {
  readonly text: () => MainText;
  readonly show: (conversationId: string, messageId: string) => void;
}

/**
 * System notifications about finished answers. None is shown while a window has the focus. Their number is on the app's
 * icon until a window gets the focus. A click shows the chat.
 */
export function notices({ text, show }: NoticesOptions) {
  /** References to shown notifications, because one that is garbage-collected no longer reacts to clicks. */
  const shown = new Set<Notification>();
  let unseen = 0;
  app.on('browser-window-focus', () => {
    unseen = 0;
    app.setBadgeCount(0);
  });
  return ({ conversationId, messageId, failed, title }: EndedNotice): void => {
    if (BrowserWindow.getAllWindows().some((window) => window.isFocused())) return;
    unseen += 1;
    // The number is shown on the icon in the dock or launcher. Windows has no such badge, so the taskbar button
    // flashes.
    if (!app.setBadgeCount(unseen)) mainWindow()?.flashFrame(true);
    if (!Notification.isSupported()) return;
    const words = failed ? text().answerFailed : text().answerFinished;
    const notification = new Notification(title === null ? { title: words } : { title, body: words });
    shown.add(notification);
    const gone = () => shown.delete(notification);
    notification.on('click', () => {
      gone();
      show(conversationId, messageId);
    });
    notification.on('close', gone);
    notification.on('failed', gone);
    notification.show();
  };
}
