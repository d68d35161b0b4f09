/** Text of foreign origin in which every character can be seen, broken into lines that no window has to break again. */
export type VisibleLine = string & { readonly visibleLine: unique symbol };

/** Columns of a line. The narrowest of the windows that show them, a message box, has room for as many. */
export const lineColumns = 64;
/** In the proportional letters of a message box no other character is as narrow as these. */
const narrow = /[a-ln-vx-z0-9 ./:;,'"!|\\(){}[\]_*?^`$-]/;

/**
 * What draws nothing, draws over its neighbours or reorders them: controls and formats (with the bidirectional ones),
 * marks, every blank but the plain one, and right-to-left letters.
 */
const deceptive =
  /[\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]|(?! )[\p{Z}\s]/gu;
const bare = /^[\p{L}\p{N}_@%+=:,./-]+$/u;
const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (character: string): string =>
  named[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** A text as it stands, but for what could not be seen in it. */
export const visibleText = (text: string): string => text.replace(deceptive, escaped);

/** One word as a person can check it: bare where nothing in it could be misread, else quoted, with escapes. */
export function visibleWord(text: string): string {
  if (bare.test(text) && text.search(deceptive) < 0) return text;
  return `"${visibleText(text.replace(/[\\"]/g, '\\$&'))}"`;
}

const columnsOf = (text: string): number =>
  [...text].reduce((sum, character) => sum + (narrow.test(character) ? 1 : 2), 0);

/** Words in lines of at most `lineColumns`; a word that is longer goes on in the next line. */
export function visibleLines(words: readonly string[]): VisibleLine[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (columnsOf(joined) <= lineColumns) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = chopped(word);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
  }
  return [...lines, line] as VisibleLine[];
}

function chopped(word: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (columnsOf(piece) + columnsOf(character) > lineColumns) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}
