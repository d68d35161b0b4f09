/** Text from others with every character made visible. It is wrapped already, so no window wraps it again. */
export type VisibleLine = string & { readonly visibleLine: unique symbol };

/** Columns per line: as many as fit into the narrowest window that shows such text, a message box. */
export const lineColumns = 64;
/** Narrow characters in the proportional font of a message box. */
const narrow = /[a-ln-vx-z0-9 ./:;,'"!|\\(){}[\]_*?^`$-]/;

/**
 * Characters that are invisible, overlap or reorder others: controls and formats (including bidirectional ones),
 * combining marks, all blanks except the space, and right-to-left letters.
 */
const deceptive =
  /[\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]|(?! )[\p{Z}\s]/gu;
/** Backslashes are allowed for Windows paths: a word without quotation marks has no escapes. */
const bare = /^[\p{L}\p{N}_@%+=:,./\\-]+$/u;
const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (character: string): string =>
  named[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Escapes such characters in a text. */
export const visibleText = (text: string): string => text.replace(deceptive, escaped);

/** Shows a single word unambiguously: bare if possible, otherwise quoted with escapes. */
export function visibleWord(text: string): string {
  if (bare.test(text) && text.search(deceptive) < 0) return text;
  return `"${visibleText(text.replace(/[\\"]/g, '\\$&'))}"`;
}

const getColumns = (text: string): number =>
  [...text].reduce((sum, character) => sum + (narrow.test(character) ? 1 : 2), 0);

/** Fills lines of at most `lineColumns` with words. Longer words are split. */
export function visibleLines(words: readonly string[]): VisibleLine[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (getColumns(joined) <= lineColumns) {
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
    if (getColumns(piece) + getColumns(character) > lineColumns) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}
