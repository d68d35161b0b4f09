import type { TokenizerAndRendererExtension, Tokens } from 'marked';

/** A formula in TeX. `display` is true for one on its own lines. */
export interface MathsToken extends Tokens.Generic {
  readonly type: 'maths';
  readonly raw: string;
  readonly tex: string;
  readonly display: boolean;
}

/**
 * Formulas as models write them: `$…$` and `\(…\)` within a line, `$$…$$` and `\[…\]` as a block or in a line. A dollar
 * before a space, or a closing one before a digit, is money. A blank line ends every formula, as in TeX. Every pattern
 * is bounded, so every text takes linear time.
 */
const inlinePatterns: readonly (readonly [pattern: RegExp, display: boolean])[] = [
  [/^\$\$([^$]{1,4000}?)\$\$/, true],
  [/^\$(?![\s$])((?:\\[^\n]|[^\\$\n]){1,2000}?)(?<!\s)\$(?!\d)/, false],
  [/^\\\(((?:[^\\\n]|\\[^)\n]){1,2000}?)\\\)/, false],
  [/^\\\[((?:[^\\]|\\[^\]]){1,4000}?)\\\]/, true],
];
const blockPatterns: readonly RegExp[] = [
  /^ {0,3}\$\$((?:[^$\n]|\$(?!\$)|\n(?![ \t]*\n)){1,8000}?)\$\$[ \t]*(?:\n+|$)/,
  /^ {0,3}\\\[((?:[^\\\n]|\\[^\]\n]|\\?\n(?![ \t]*\n)){1,8000}?)\\\][ \t]*(?:\n+|$)/,
];

const maths = (raw: string, tex: string, display: boolean): MathsToken => ({
  type: 'maths',
  raw,
  tex: tex.trim(),
  display,
});

/** Returns the index of the first match, or `undefined` if there is none, as the parser expects. */
const getStart = (source: string, pattern: RegExp, after = 0): number | undefined => {
  const index = source.search(pattern);
  return index === -1 ? undefined : index + after;
};

/**
 * The parser calls this for each paragraph. Searching beyond the blank line would repeat the work for every paragraph.
 */
const getParagraph = (source: string): string => {
  const end = source.indexOf('\n\n');
  return end === -1 ? source : source.slice(0, end);
};

export const mathsBlock: TokenizerAndRendererExtension = {
  name: 'maths',
  level: 'block',
  // The parser may start in the middle of a line, so only a line that begins after that can begin a formula.
  start: (source) => getStart(getParagraph(source), /\n {0,3}(?:\$\$|\\\[)/, 1),
  tokenizer(source) {
    for (const pattern of blockPatterns) {
      const found = pattern.exec(source);
      if (found?.[1]?.trim()) return maths(found[0], found[1], true);
    }
    return undefined;
  },
};

export const mathsInline: TokenizerAndRendererExtension = {
  name: 'maths',
  level: 'inline',
  start: (source) => getStart(source, /\$|\\[([]/),
  tokenizer(source) {
    for (const [pattern, display] of inlinePatterns) {
      const found = pattern.exec(source);
      if (found?.[1]?.trim()) return maths(found[0], found[1], display);
    }
    return undefined;
  },
};
