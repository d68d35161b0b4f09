import { app, BrowserWindow, clipboard, Menu, type WebContents } from 'electron';
import { contextTemplate } from './context-template.ts';
import type { MainText } from './main-text.ts';
import { openOutside } from './open-outside.ts';
import { saveImage } from './save-image.ts';

/** Shows the menu of the right mouse button in every page of the app. */
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
      // Refused by the guard or by the system, as for a click on it.
    });
  },
  copyText: (words: string) => clipboard.writeText(words),
  copyImage: (x: number, y: number) => contents.copyImageAt(x, y),
  saveImage: (url: string) => saveImage(contents, url, text),
  inspect: app.isPackaged ? null : (x: number, y: number) => contents.inspectElement(x, y),
});
