import { markdownText as words } from '../text/markdown-text.ts';
import { maxMarks } from './weight.ts';

const notPlain = /[^\t\n\r\x20-\u02ff]/;
const manyMarks = new RegExp(`(\\p{M}{${maxMarks}})(\\p{M}+)`, 'gu');

/**
 * Returns a text as it is rendered: at most eight combining marks on a letter, and a note of how many more there are.
 * Laying out a hundred thousand marks takes half a minute, and they would cover the text above. Copying still gives all
 * of them.
 */
export const shownText = (text: string): string =>
  notPlain.test(text)
    ? text.replace(manyMarks, (_run, shown: string, more: string) => `${shown}${words.moreMarks([...more].length)}`)
    : text;
