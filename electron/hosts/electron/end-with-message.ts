import { app, dialog, shell } from 'electron';
import type { MainText } from './main-text.ts';

const quit = 0;

/** Shows a fatal error in a system dialog, offers the log, and quits. */
export async function endWithMessage(why: 'windowStopped' | 'coreStopped', log: string, text: MainText): Promise<void> {
  for (;;) {
    const { response } = await dialog.showMessageBox({
      type: 'error',
      title: 'Portico',
      message: text[why],
      detail: text.chatsKept(log),
      buttons: [text.quit, text.openLog],
      defaultId: quit,
      cancelId: quit,
      noLink: true,
    });
    if (response === quit) return app.quit();
    const unopened = await shell.openPath(log);
    if (unopened !== '') shell.showItemInFolder(log);
  }
}
