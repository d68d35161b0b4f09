import { markdownText as words } from '../text/markdown-text.ts';
import { maxMarks } from './weight.ts';

const notPlain = /[^\t\n\r\x20-\u02ff]/;
const manyMarks = new RegExp(`(\\p{M}{${maxMarks}})(\\p{M}+)`, 'gu');

/**
 * A text as it is rendered: of combining marks on one letter the first eight, and how many more there are. Laying out a
 * hundred thousand of them takes half a minute, and they would cover the text above. Copying gives all of them.
 */
export const shownText = (text: string): string =>
  notPlain.test(text)
    ? text.replace(manyMarks, (_run, shown: string, more: string) => `${shown}${words.moreMarks([...more].length)}`)
    : text;
