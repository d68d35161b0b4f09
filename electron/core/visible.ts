/** Text of foreign origin in which every character can be seen, broken into lines that no window has to break again. */
export type VisibleLine = string & { readonly visibleLine: unique symbol };

/** Characters of a line. The narrowest of the windows that show them, a message box, has room for as many. */
export const lineLength = 64;

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

/** One word as a person can check it: bare where nothing in it could be misread, else quoted, with escapes. */
export function visibleWord(text: string): string {
  if (bare.test(text) && text.search(deceptive) < 0) return text;
  return `"${text.replace(/[\\"]/g, '\\$&').replace(deceptive, escaped)}"`;
}

/** Words in lines of at most `lineLength`; a word that is longer goes on in the next line. */
export function visibleLines(words: readonly string[]): VisibleLine[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const joined = line === '' ? word : `${line} ${word}`;
    if ([...joined].length <= lineLength) {
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
  const characters = [...word];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += lineLength)
    pieces.push(characters.slice(at, at + lineLength).join(''));
  return pieces;
}
