import { join } from 'node:path';
import { app, BrowserWindow, clipboard, type DownloadItem, dialog, Menu, type WebContents } from 'electron';
import { contextTemplate } from './context-template.ts';
import type { MainText } from './main-text.ts';
import { openOutside } from './open-outside.ts';

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/svg+xml': 'svg',
};

/**
 * Asks with the system's dialog where to save a picture of the page. If the user cancels, nothing is written. A failure
 * is shown.
 */
function saveImage(contents: WebContents, url: string, text: () => MainText): void {
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

/** Shows the context menu in every page of the app. */
export function showContextMenus(text: () => MainText): void {
  app.on('web-contents-created', (_, contents) => {
    contents.on('context-menu', (_event, clicked) => {
      const template = contextTemplate(clicked, text(), getDeeds(contents, text));
      const window = BrowserWindow.fromWebContents(contents);
      if (template.length > 0 && window) Menu.buildFromTemplate(template).popup({ window });
    });
  });
}

const getDeeds = (contents: WebContents, text: () => MainText) => ({
  replaceWord: (word: string) => contents.replaceMisspelling(word),
  learnWord: (word: string) => void contents.session.addWordToSpellCheckerDictionary(word),
  openLink: (url: string) => {
    openOutside(url).catch(() => {
      // The link guard or the system refused the link. A click on the link reports no error either.
    });
  },
  copyText: (words: string) => clipboard.writeText(words),
  copyImage: (x: number, y: number) => contents.copyImageAt(x, y),
  saveImage: (url: string) => saveImage(contents, url, text),
  inspect: app.isPackaged ? null : (x: number, y: number) => contents.inspectElement(x, y),
});
