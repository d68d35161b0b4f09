import { expect, test } from 'vitest';
import { isTemporaryPlace } from './temporary-place.ts';

const inside = (folder: string) => `${folder}/Portico.app/Contents/MacOS/Portico`;
const writable = (...folders: string[]) => ({ canWrite: (folder: string) => folders.includes(folder) });

test.each([
  ['the Applications folder', inside('/Applications'), writable('/Applications'), false],
  ['a folder that only an administrator may write to', inside('/Applications'), writable(), false],
  ['the home folder', inside('/Users/a/Apps'), writable('/Users/a/Apps'), false],
  ['another disk', inside('/Volumes/Disk/Apps'), writable('/Volumes/Disk/Apps'), false],
  ['the disk image', inside('/Volumes/Portico 0.1.0'), writable(), true],
  ['a hidden copy of a download', inside('/private/var/folders/x/T/AppTranslocation/1-2/d'), writable(), true],
])('a program in %s is recognised as updatable or not', (_, program, { canWrite }, expected) => {
  expect(isTemporaryPlace(program, canWrite)).toBe(expected);
});
