/**
 * Estimates how many tokens a text has, in one pass over its characters. Tokenizers split a text into words, numbers,
 * punctuation and spaces, and have a token for most short words of a script. So each kind of run has its own formula,
 * fitted to OpenAI's tokenizer o200k. A real tokenizer would take quadratic time on hostile text (wire contract §9).
 */

const kinds = {
  blank: 0,
  break: 1,
  lower: 2,
  upper: 3,
  digit: 4,
  mark: 5,
  cyrillic: 6,
  letter: 7,
  arabic: 8,
  abugida: 9,
  han: 10,
  hiragana: 11,
  katakana: 12,
  hangul: 13,
  emoji: 14,
  rare: 15,
  astral: 16,
} as const;
type Kind = (typeof kinds)[keyof typeof kinds];

/** The last code of each range of characters, and the kind of these characters. */
const ranges: readonly (readonly [last: number, kind: Kind])[] = [
  [0x09, kinds.blank],
  [0x0d, kinds.break],
  [0x20, kinds.blank],
  [0x2f, kinds.mark],
  [0x39, kinds.digit],
  [0x40, kinds.mark],
  [0x5a, kinds.upper],
  [0x60, kinds.mark],
  [0x7a, kinds.lower],
  [0x7e, kinds.mark],
  [0xa0, kinds.blank],
  [0xbf, kinds.mark],
  [0x24f, kinds.lower],
  [0x36f, kinds.mark],
  [0x3ff, kinds.letter],
  [0x52f, kinds.cyrillic],
  [0x5ff, kinds.letter],
  [0x8ff, kinds.arabic],
  [0x109f, kinds.abugida],
  [0x10ff, kinds.letter],
  [0x11ff, kinds.hangul],
  [0x17ff, kinds.abugida],
  [0x1dff, kinds.rare],
  [0x1eff, kinds.lower],
  [0x1fff, kinds.letter],
  [0x200c, kinds.mark],
  [0x200d, kinds.emoji],
  [0x2bff, kinds.mark],
  [0x2fff, kinds.rare],
  [0x303f, kinds.mark],
  [0x309f, kinds.hiragana],
  [0x30ff, kinds.katakana],
  [0x4dff, kinds.rare],
  [0x9fff, kinds.han],
  [0xabff, kinds.rare],
  [0xd7af, kinds.hangul],
  [0xf8ff, kinds.rare],
  [0xfaff, kinds.han],
  [0xfdff, kinds.arabic],
  [0xfe0f, kinds.emoji],
  [0xffff, kinds.mark],
];

/** The kind of each UTF-16 code. Reading a table is ten times as fast as searching the ranges. */
const kindByCode = new Uint8Array(0x10000);
for (const [index, [last, kind]] of ranges.entries())
  kindByCode.fill(kind, (ranges[index - 1]?.[0] ?? -1) + 1, last + 1);

/** Latin letters that few languages use. Words with them are split into more tokens. */
const [firstUnusual, lastUnusual] = [0x100, 0x24f];
const unusualTokens = 0.65;

export function estimateText(text: string): number {
  let tokens = 0;
  let before: Kind = kinds.break;
  let kind: Kind = kinds.break;
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    let next = kindByCode[code] as Kind;
    if (code >= 0xd800 && code <= 0xdbff) {
      // These are emoji (U+1F000 and above). The other surrogates stand for rare scripts and rare Chinese characters.
      next = code >= 0xd83c && code <= 0xd83e ? kinds.emoji : kinds.astral;
      index += 1;
    }
    if (code >= firstUnusual && code <= lastUnusual) tokens += unusualTokens;
    if (next === kind || (kind === kinds.upper && length === 1 && next === kinds.lower)) {
      kind = next;
      length += 1;
      continue;
    }
    if (!isJoined(before, kind, length, next)) tokens += runTokens(kind, length);
    before = kind;
    kind = next;
    length = 1;
  }
  return Math.ceil(tokens + runTokens(kind, length));
}

/** A single space forms one token with the word after it, and a line break with the punctuation before it. */
function isJoined(before: Kind, kind: Kind, length: number, next: Kind): boolean {
  if (kind === kinds.break) return before === kinds.mark && length === 1;
  return kind === kinds.blank && length === 1 && next !== kinds.digit && next !== kinds.han;
}

/** A longer run of letters isn't a word, so tokenizers split it into small pieces. */
const maxWord = 40;

function runTokens(kind: Kind, length: number): number {
  switch (kind) {
    case kinds.blank:
    case kinds.break:
      return length === 0 ? 0 : 1 + Math.floor(length / 80);
    case kinds.lower:
      return length <= 6 ? 1 : length <= maxWord ? 1 + (length - 6) / 5 : length / 3.5;
    case kinds.upper:
      return length <= 5 ? 1 : 1 + (length - 5) / 3;
    case kinds.digit:
      return Math.ceil(length / 3);
    case kinds.mark:
      return length === 1 ? 0.95 : length / 2.1;
    case kinds.cyrillic:
      return length <= 4 ? 1 : 1 + (length - 4) / 3.4;
    case kinds.letter:
      return length <= 2 ? 1 : 1 + (length - 2) / 3.2;
    case kinds.arabic:
      return length <= 3 ? 1 : 1 + (length - 3) / 3.2;
    case kinds.abugida:
      return length <= 3 ? 1 : 1 + (length - 3) / 3;
    case kinds.han:
    case kinds.hiragana:
      return length * 0.77;
    case kinds.katakana:
      return length <= 2 ? 1 : length * 0.52;
    case kinds.hangul:
      return length * 0.72;
    case kinds.emoji:
      return length * 1.4;
    case kinds.rare:
      return length * 2.4;
    case kinds.astral:
      return length * 3.6;
  }
}
