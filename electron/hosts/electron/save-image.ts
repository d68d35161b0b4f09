import { join } from 'node:path';
import { app, type DownloadItem, dialog, type WebContents } from 'electron';
import type { MainText } from './main-text.ts';

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/svg+xml': 'svg',
};

/** Asks by the system’s dialog where to save a picture of the page. Nothing is written if that is cancelled; a failure is said. */
export function saveImage(contents: WebContents, url: string, text: () => MainText): void {
  const { session } = contents;
  const name = (_event: unknown, item: DownloadItem) => {
    if (item.getURL() !== url) return;
    session.off('will-download', name);
    const ending = endings[item.getMimeType()] ?? 'png';
    item.setSaveDialogOptions({
      defaultPath: join(app.getPath('downloads'), `image.${ending}`),
      properties: ['createDirectory', 'showOverwriteConfirmation'],
    });
    item.once('done', (_done, state) => {
      if (state === 'interrupted')
        dialog.showErrorBox(text().imageNotSaved, text().imageNotSavedNote(item.getSavePath()));
    });
  };
  session.on('will-download', name);
  contents.downloadURL(url);
}
