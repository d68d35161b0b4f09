import { app, dialog, shell } from 'electron';
import type { Recovery, RecoveryOffer } from '#core/storage/database/recovery.ts';
import type { MainText } from './main-text.ts';

interface Asked {
  /** What is wrong with which file, as a sentence. */
  readonly sentence: string;
  readonly offer: RecoveryOffer;
  readonly dataFolder: string;
  readonly text: MainText;
  readonly again: (recovery: Recovery) => void;
}

/**
 * Handles a database that can't be opened: the user chooses between restoring its newest backup, opening the folder
 * with the file, and quitting.
 */
export async function askHowToRecover({ sentence, offer, dataFolder, text, again }: Asked): Promise<void> {
  const { recover } = text;
  const { of: database, fault, backupAt } = offer;
  const [from, without] =
    database === 'chats' ? [recover.fromBackup, recover.withoutBackup] : [recover.fromCopy, recover.withoutCopy];
  const choice = backupAt === null ? without : from(new Date(backupAt).toLocaleString());
  const buttons = [text.quit, recover.folder, backupAt === null ? recover.empty[database] : recover.restore];
  const [quit, folder] = [0, 1];
  for (;;) {
    const { response } = await dialog.showMessageBox({
      type: 'error',
      title: 'Portico',
      message: recover.title[database],
      detail: [sentence, ...(fault === 'newer' ? [recover.newer] : []), choice].join('\n\n'),
      buttons,
      defaultId: quit,
      cancelId: quit,
      noLink: true,
    });
    if (response === quit) return app.exit(2);
    if (response !== folder) return again(backupAt === null ? 'new-database' : 'newest-backup');
    await shell.openPath(dataFolder);
  }
}
