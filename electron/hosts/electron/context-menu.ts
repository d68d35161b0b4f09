import { join } from 'node:path';
import {
  app,
  BrowserWindow,
  type ContextMenuParams,
  clipboard,
  type DownloadItem,
  dialog,
  Menu,
  type MenuItemConstructorOptions,
  type WebContents,
} from 'electron';
import { outsideLink } from '#shared/outside-link.ts';
import type { MainText } from './main-text.ts';
import { openOutside } from './open-outside.ts';

type Item = MenuItemConstructorOptions;

/** What was clicked, as Chromium reports it. */
export type Clicked = Pick<
  ContextMenuParams,
  | 'x'
  | 'y'
  | 'linkURL'
  | 'srcURL'
  | 'mediaType'
  | 'hasImageContents'
  | 'isEditable'
  | 'selectionText'
  | 'misspelledWord'
  | 'dictionarySuggestions'
  | 'editFlags'
>;

interface ContextDeeds {
  replaceWord(word: string): void;
  learnWord(word: string): void;
  openLink(url: string): void;
  copyText(text: string): void;
  copyImage(x: number, y: number): void;
  saveImage(url: string): void;
  /** Opens the developer tools. Null if they aren't offered. */
  readonly inspect: ((x: number, y: number) => void) | null;
}

/**
 * Builds the context menu. It is empty if there is nothing to do. Parts of the page with a menu of their own never get
 * here.
 */
export function contextTemplate(clicked: Clicked, text: MainText, deeds: ContextDeeds): Item[] {
  const { x, y, linkURL, isEditable, selectionText, editFlags } = clicked;
  const groups: Item[][] = [
    spelling(clicked, text, deeds),
    outsideLink(linkURL, URL) !== null
      ? [
          { label: text.openLink, click: () => deeds.openLink(linkURL) },
          { label: text.copyLink, click: () => deeds.copyText(linkURL) },
        ]
      : [],
    clicked.mediaType === 'image' && clicked.hasImageContents
      ? [
          { label: text.copyImage, click: () => deeds.copyImage(x, y) },
          ...(isOwnImage(clicked.srcURL)
            ? [{ label: text.saveImage, click: () => deeds.saveImage(clicked.srcURL) }]
            : []),
        ]
      : [],
    isEditable
      ? [
          { role: 'undo', label: text.undo, enabled: editFlags.canUndo },
          { role: 'redo', label: text.redo, enabled: editFlags.canRedo },
        ]
      : [],
    isEditable
      ? [
          { role: 'cut', label: text.cut, enabled: editFlags.canCut },
          { role: 'copy', label: text.copy, enabled: editFlags.canCopy },
          { role: 'paste', label: text.paste, enabled: editFlags.canPaste },
          { role: 'pasteAndMatchStyle', label: text.pastePlain, enabled: editFlags.canPaste },
          { role: 'selectAll', label: text.selectAll, enabled: editFlags.canSelectAll },
        ]
      : selectionText.trim() === ''
        ? []
        : [{ role: 'copy', label: text.copy }],
    deeds.inspect ? [{ label: text.inspect, click: () => deeds.inspect?.(x, y) }] : [],
  ];
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, index): Item[] => (index === 0 ? group : [{ type: 'separator' }, ...group]));
}

/**
 * Pictures that the page has already loaded, so saving one contacts no server. Chromium leaves out addresses that are
 * too long.
 */
const isOwnImage = (url: string): boolean => /^(?:blob|data):/i.test(url);

const maxSuggestions = 5;

function spelling({ isEditable, misspelledWord, dictionarySuggestions }: Clicked, text: MainText, deeds: ContextDeeds) {
  if (!isEditable || misspelledWord === '') return [];
  const suggestions = dictionarySuggestions.slice(0, maxSuggestions);
  return [
    ...suggestions.map((word): Item => ({ label: word, click: () => deeds.replaceWord(word) })),
    ...(suggestions.length === 0 ? [{ label: text.noSuggestions, enabled: false }] : []),
    { label: text.learnWord, click: () => deeds.learnWord(misspelledWord) },
  ];
}

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
