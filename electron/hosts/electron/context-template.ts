import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron';
import { outsideLink } from '#shared/outside-link.ts';
import type { MainText } from './main-text.ts';

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

export interface ContextDeeds {
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
