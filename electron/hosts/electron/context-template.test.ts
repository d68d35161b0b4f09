import { expect, test } from 'vitest';
import { type Clicked, contextTemplate } from './context-template.ts';
import { mainText } from './main-text.ts';

const none = {
  canUndo: false,
  canRedo: false,
  canCut: false,
  canCopy: false,
  canPaste: true,
  canDelete: false,
  canSelectAll: true,
  canEditRichly: false,
};
const nothing: Clicked = {
  x: 1,
  y: 2,
  linkURL: '',
  srcURL: '',
  mediaType: 'none',
  hasImageContents: false,
  isEditable: false,
  selectionText: '',
  misspelledWord: '',
  dictionarySuggestions: [],
  editFlags: none,
};
function menu(clicked: Partial<Clicked>, inspect: ((x: number, y: number) => void) | null = null) {
  const done: string[] = [];
  const note = (name: string) => (what: unknown) => void done.push(`${name} ${String(what)}`);
  const deeds = {
    replaceWord: note('replace'),
    learnWord: note('learn'),
    openLink: note('open'),
    copyText: note('copy'),
    copyImage: note('image'),
    saveImage: note('save'),
    inspect,
  };
  const items = contextTemplate({ ...nothing, ...clicked }, mainText('en'), deeds);
  const press = (label: string) => {
    const click = items.find((item) => item.label === label)?.click as (() => void) | undefined;
    click?.();
    return done;
  };
  return { labels: items.map(({ label, type }) => label ?? type), items, press };
}

test('there is no menu where there is nothing to do, and the installed app offers no developer tools', () => {
  expect(menu({}).labels).toEqual([]);
  expect(menu({}, () => {}).labels).toEqual(['Inspect']);
});

test('a misspelled word gets suggestions and can be added to the dictionary', () => {
  const { labels, press } = menu({
    isEditable: true,
    misspelledWord: 'recieve',
    dictionarySuggestions: ['receive', 'relieve', 'c', 'd', 'e', 'f'],
  });
  expect(labels.slice(0, 7)).toEqual(['receive', 'relieve', 'c', 'd', 'e', 'Add to dictionary', 'separator']);
  expect(press('receive')).toEqual(['replace receive']);
  expect(press('Add to dictionary')).toEqual(['replace receive', 'learn recieve']);
  const unknown = menu({ isEditable: true, misspelledWord: 'xyzzyq' });
  expect(unknown.items[0]).toMatchObject({ label: 'No suggestions', enabled: false });
});

test('a field has the editing commands that can be used now', () => {
  const { items } = menu({
    isEditable: true,
    selectionText: 'words',
    editFlags: { ...none, canCut: true, canCopy: true },
  });
  expect(items.map(({ role, enabled }) => [role, enabled])).toEqual([
    ...[
      ['undo', false],
      ['redo', false],
    ],
    [undefined, undefined],
    ...[
      ['cut', true],
      ['copy', true],
      ['paste', true],
      ['pasteAndMatchStyle', true],
      ['selectAll', true],
    ],
  ]);
});

test('only links that may leave the app can be opened and copied, and deceptive ones have no menu items', () => {
  const link = menu({ linkURL: 'https://example.com/a', selectionText: 'a' });
  expect(link.labels).toEqual(['Open link', 'Copy link', 'separator', 'Copy']);
  expect(link.press('Open link')).toEqual(['open https://example.com/a']);
  for (const linkURL of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'app://portico/#chat',
    'https://a:b@example.com/',
  ])
    expect(menu({ linkURL }).labels).toEqual([]);
});

test('a picture can be copied once it is loaded', () => {
  expect(menu({ mediaType: 'image', hasImageContents: true }).press('Copy image')).toEqual(['image 1']);
  expect(menu({ mediaType: 'image' }).labels).toEqual([]);
});

test('a picture of the page itself can be saved, and any other picture can only be copied', () => {
  const picture = { mediaType: 'image', hasImageContents: true } as const;
  const srcURL = 'blob:app://portico/1';
  expect(menu({ ...picture, srcURL }).press('Save image…')).toEqual([`save ${srcURL}`]);
  for (const other of ['', 'https://example.com/a.png', 'file:///a.png'])
    expect(menu({ ...picture, srcURL: other }).labels).toEqual(['Copy image']);
});
