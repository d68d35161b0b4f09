import { app, BrowserWindow, Notification } from 'electron';
import type { EndedNotice } from '#core/runtime/host/host.ts';
import type { MainText } from './main-text.ts';
import { mainWindow } from './windows/window.ts';

export interface NoticesOptions {
  readonly text: () => MainText;
  readonly show: (conversationId: string, messageId: string) => void;
}

/** Notifications of the system about answers that have ended; none while a window is looked at. Their number stands on the app’s icon until one is. A click shows the chat. */
export function notices({ text, show }: NoticesOptions) {
  /** Kept until they are gone: one that is collected as garbage does not react any more. */
  const shown = new Set<Notification>();
  let unseen = 0;
  app.on('browser-window-focus', () => {
    unseen = 0;
    app.setBadgeCount(0);
  });
  return ({ conversationId, messageId, failed, title }: EndedNotice): void => {
    if (BrowserWindow.getAllWindows().some((window) => window.isFocused())) return;
    unseen += 1;
    // On the icon in the dock or launcher; Windows has none, but lets it flash.
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
