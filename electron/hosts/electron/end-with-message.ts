import { app, dialog, shell } from 'electron';

const quit = 0;

/** Says what cannot go on, in the system's own box, offers the log, and ends the program in order. */
export async function endWithMessage(message: string, log: string): Promise<void> {
  for (;;) {
    const { response } = await dialog.showMessageBox({
      type: 'error',
      title: 'Portico',
      message,
      detail: `Your chats are kept. Quit and start Portico again; if this comes back, the log says where it fails:\n${log}`,
      buttons: ['Quit', 'Open log'],
      defaultId: quit,
      cancelId: quit,
      noLink: true,
    });
    if (response === quit) return app.quit();
    const unopened = await shell.openPath(log);
    if (unopened !== '') shell.showItemInFolder(log);
  }
}
