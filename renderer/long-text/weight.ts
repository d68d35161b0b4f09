/**
 * Rendering cost in units of one plain letter, which takes about half a microsecond to shape and lay out. Other
 * characters count as a measured multiple. A slice is the maximum that is rendered at once and takes a few
 * milliseconds, whatever it contains.
 */
export const sliceWeight = 8_000;

/**
 * The maximum weight of one block. A lighter block stays whole and is only drawn in parts: a table of 300 rows, a list
 * of 500 items, a paragraph of 20,000 characters in any script.
 */
export const maxBlockWeight = 480_000;

/** Weight of an empty box, the placeholder for a part that isn't near the viewport. */
export const boxWeight = 60;
/** Weight of an empty list item. It is higher, because all items are created together with their list. */
export const itemBoxWeight = 200;

/** A longer text is added to the page in nodes of this weight, so that it can be drawn in parts. */
const nodeWeight = sliceWeight / 2;

/** The maximum number of combining marks rendered on one letter; see `shown-text.ts`. */
export const maxMarks = 8;
/**
 * A chunk has at most this many characters, however light they are, because the browser breaks a whole paragraph into
 * lines again when its width changes.
 */
export const maxCharacters = 40_000;
const plain = /^[\t\n\r\x20-\u02ff]*$/;
const mark = /^\p{M}$/u;
const joining = /^[\p{M}\p{Emoji_Modifier}\u200c\u200d]$/u;

const kinds = { control: 8, mark: 4, rightToLeft: 2, complex: 5, symbol: 8, other: 2 } as const;
/** At a change of script or font the browser shapes a new run. At a change of direction it also reorders. */
const changes = { symbol: 24, script: 60, direction: 60 } as const;
/** The first letter of a script may have to load its font. */
const scriptWeight = 800;
/**
 * Scripts without spaces are broken into words by a dictionary, in time that grows with the square of a run. A run ends
 * with its text node; see `text-nodes.tsx`.
 */
const dictionary = { lettersPerUnit: 250, maxRun: 800 } as const;
/** The weight of the note that replaces omitted marks. */
const noteWeight = 20;

/** Scripts whose fonts are loaded, for a text or for the page; see `getScript`. */
export type Scripts = Set<number>;

/** Scripts that this page has already drawn, so their fonts are loaded. */
const drawnScripts: Scripts = new Set();

export const createScripts = (): Scripts => new Set(drawnScripts);

export function markDrawn(scripts: Scripts): void {
  for (const script of scripts) drawnScripts.add(script);
}

/**
 * Returns the weight of a text, and stops counting soon after `most`. `scripts` are those whose fonts are already
 * counted.
 */
export function textWeight(text: string, most = Number.POSITIVE_INFINITY, scripts: Scripts = new Set()): number {
  if (plain.test(text)) return text.length;
  const scale = weigher(scripts);
  let weight = 0;
  for (let index = 0; index < text.length && weight <= most; ) {
    const letter = text.codePointAt(index) ?? 0;
    weight += scale(letter);
    index += letter > 0xffff ? 2 : 1;
  }
  return weight;
}

/**
 * Returns where a chunk that begins at `from` ends: at a line end, else between words, else anywhere, but never within
 * a character. When a text grows, only its last chunk changes.
 */
export function pieceEnd(text: string, from: number, most = sliceWeight): number {
  const limit = limitFrom(text, from, most);
  if (limit >= text.length) return text.length;
  // Searches only this chunk. Searching back through the whole text for each chunk would be quadratic.
  const piece = text.slice(from, limit);
  const line = piece.lastIndexOf('\n');
  if (line > piece.length / 2) return from + line + 1;
  const space = piece.lastIndexOf(' ');
  return space > 0 && space > piece.length - 200 ? from + space + 1 : betweenCharacters(text, from, limit);
}

/** Splits a text into chunks light enough to be rendered at once. Joined, they are the text. */
export const getPieces = (text: string, most = sliceWeight): string[] =>
  splitBy(text, (from) => pieceEnd(text, from, most));

/**
 * Splits the beginning of a text, up to this weight, into the nodes that are added to the page. For `scripts`, see
 * `textWeight`.
 */
export function toTextNodes(
  text: string,
  maxWeight = Number.POSITIVE_INFINITY,
  scripts: Scripts = new Set(),
): readonly string[] {
  const nodes: string[] = [];
  let weight = 0;
  for (let from = 0; from < text.length; ) {
    const end = pieceEnd(text, from, nodeWeight);
    const node = text.slice(from, end);
    if (maxWeight !== Number.POSITIVE_INFINITY) weight += textWeight(node, maxWeight, scripts);
    if (weight > maxWeight) break;
    nodes.push(node);
    from = end;
  }
  return nodes;
}

/**
 * Splits a text into blocks of whole lines, each about a slice. A longer line stays whole, up to the weight of a block.
 */
export const toLineBlocks = (text: string): string[] => splitBy(text, (from) => lineBlockEnd(text, from));

function lineBlockEnd(text: string, from: number): number {
  const limit = limitFrom(text, from, sliceWeight);
  if (limit >= text.length) return text.length;
  const line = text.slice(from, limit).lastIndexOf('\n');
  if (line !== -1) return from + line + 1;
  const max = limitFrom(text, from, maxBlockWeight / 2);
  const next = text.slice(limit, max).indexOf('\n');
  if (next !== -1) return limit + next + 1;
  return pieceEnd(text, from, maxBlockWeight / 2);
}

function splitBy(text: string, endFrom: (from: number) => number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = endFrom(from);
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}

/** Returns the nearest position before `limit` where no mark belongs to the letter before it. */
function betweenCharacters(text: string, from: number, limit: number): number {
  for (let index = limit; index > from && index > limit - 40; index--) {
    const before = text[index - 1] ?? '';
    const letter = String.fromCodePoint(text.codePointAt(index) ?? 0);
    if (!/[\ud800-\udbff\u200d]/.test(before) && !joining.test(letter)) return index;
  }
  return limit;
}

function limitFrom(text: string, from: number, most: number): number {
  if (plain.test(text.slice(from, from + most))) return Math.min(from + most, from + maxCharacters);
  const scale = weigher(new Set());
  let weight = 0;
  let index = from;
  while (index < text.length && index < from + maxCharacters) {
    const letter = text.codePointAt(index) ?? 0;
    weight += scale(letter);
    if (weight > most && index > from) return index;
    index += letter > 0xffff ? 2 : 1;
  }
  return index;
}

/** Returns a function that weighs letters one after another. The weight of a letter depends on those before it. */
function weigher(scripts: Scripts): (letter: number) => number {
  let marks = 0;
  let current = common;
  let run = 0;
  return (letter) => {
    const { isMark, weight: ownWeight, script, hasNoSpaces } = getFacts(letter);
    if (isMark) {
      marks += 1;
      return marks <= maxMarks ? kinds.mark : marks === maxMarks + 1 ? noteWeight : 0;
    }
    marks = 0;
    run = hasNoSpaces ? (run + 1) % dictionary.maxRun : 0;
    let weight = ownWeight + run / dictionary.lettersPerUnit;
    if (script === common) return weight;
    if (script !== current && current !== common) weight += changes[changeBetween(current, script)];
    current = script;
    if (script === latin || scripts.has(script)) return weight;
    scripts.add(script);
    return weight + scriptWeight;
  };
}

function changeBetween(before: number, script: number): keyof typeof changes {
  if (before === symbols || script === symbols) return 'symbol';
  return isRightToLeft(before) === isRightToLeft(script) ? 'script' : 'direction';
}

interface LetterFacts {
  readonly isMark: boolean;
  readonly weight: number;
  readonly script: number;
  readonly hasNoSpaces: boolean;
}

/** Facts by letter, cached because letters recur and every letter of a long text is weighed. */
const knownFacts = new Map<number, LetterFacts>();

function getFacts(letter: number): LetterFacts {
  const known = knownFacts.get(letter);
  if (known) return known;
  const facts = {
    isMark: letter >= 0x300 && mark.test(String.fromCodePoint(letter)),
    weight: weightOfKind(letter),
    script: getScript(letter),
    hasNoSpaces: isWrittenWithoutSpaces(letter),
  };
  knownFacts.set(letter, facts);
  return facts;
}

function weightOfKind(letter: number): number {
  if (isControl(letter)) return kinds.control;
  if (letter < 0x300 || isPunctuation(letter)) return 1;
  if (letter >= 0x590 && letter <= 0x8ff) return kinds.rightToLeft;
  if (letter >= 0x900 && letter <= 0x17ff) return kinds.complex;
  return letter > 0xffff || isSymbol(letter) ? kinds.symbol : kinds.other;
}

const isWithin = (letter: number, ...ranges: readonly (readonly [first: number, last: number])[]): boolean =>
  ranges.some(([first, last]) => letter >= first && letter <= last);

const isControl = (letter: number): boolean =>
  (letter < 0x20 && letter !== 9 && letter !== 10) ||
  isWithin(letter, [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f]);
const isPunctuation = (letter: number): boolean => letter >= 0x2000 && letter <= 0x206f;
const isSymbol = (letter: number): boolean => letter >= 0x2070 && letter <= 0x2bff;

/** Spaces, digits and punctuation, which occur in every script. */
const common = -1;
const latin = 0;
const symbols = 1;
const cjk = 2;
const arabic = 0x6;

/**
 * Returns an approximate font group: blocks of 256 code points, which most scripts fit into, and one group for Chinese,
 * Japanese and Korean, which alternate within a word.
 */
function getScript(letter: number): number {
  if (letter < 0x300) return isWithin(letter, [0x41, 0x5a], [0x61, 0x7a], [0xc0, 0x2ff]) ? latin : common;
  if (isPunctuation(letter)) return common;
  if (isSymbol(letter) || isWithin(letter, [0x1f000, 0x1ffff])) return symbols;
  if (isWithin(letter, ...cjkLetters)) return cjk;
  if (isWithin(letter, [0x1e00, 0x1eff])) return latin;
  return isWithin(letter, [0xfb50, 0xfdff], [0xfe70, 0xfeff]) ? arabic : letter >> 8;
}

const cjkLetters = [
  [0x1100, 0x11ff],
  [0x2e80, 0x9fff],
  [0xac00, 0xd7ff],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe1f],
  [0xfe30, 0xfe6f],
  [0xff00, 0xffef],
  [0x20000, 0x3ffff],
] as const;

/** Hebrew, Arabic and neighbouring scripts. */
const isRightToLeft = (script: number): boolean => script >= 0x5 && script <= 0x8;

/** Thai, Lao, Myanmar and Khmer. */
export const isWrittenWithoutSpaces = (letter: number): boolean =>
  isWithin(letter, [0xe00, 0xeff], [0x1000, 0x109f], [0x1780, 0x17ff]);
