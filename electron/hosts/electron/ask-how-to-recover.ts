import { app, dialog, shell } from 'electron';
import type { Recovery, RecoveryOffer } from '#core/storage/database/recovery.ts';
import type { MainText } from './main-text.ts';

interface Asked {
  /** What is wrong, and with which file. */
  readonly sentence: string;
  readonly offer: RecoveryOffer;
  readonly dataFolder: string;
  readonly text: MainText;
  readonly again: (recovery: Recovery) => void;
}

/** A database that cannot be opened: a person chooses between its newest backup, the folder with the file, and the end of the program. */
export async function askHowToRecover({ sentence, offer, dataFolder, text, again }: Asked): Promise<void> {
  const { recover } = text;
  const { of, fault, backupAt } = offer;
  const [from, without] =
    of === 'chats' ? [recover.fromBackup, recover.withoutBackup] : [recover.fromCopy, recover.withoutCopy];
  const choice = backupAt === null ? without : from(new Date(backupAt).toLocaleString());
  const buttons = [text.quit, recover.folder, backupAt === null ? recover.empty[of] : recover.restore];
  const [quit, folder] = [0, 1];
  for (;;) {
    const { response } = await dialog.showMessageBox({
      type: 'error',
      title: 'Portico',
      message: recover.title[of],
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
