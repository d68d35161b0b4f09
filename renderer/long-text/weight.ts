/**
 * Rendering cost in units of one plain letter, about half a microsecond to shape and lay out; other characters count as
 * the multiple that was measured. A slice, the most that is rendered at once, takes a few milliseconds whatever is in
 * it.
 */
export const sliceWeight = 8_000;

/** Combining marks that are rendered on one letter; see `shown-text.ts`. */
export const mostMarks = 8;
/** A chunk has no more characters than this, however light they are. */
const mostCharacters = 100_000;
const plain = /^[\t\n\r\x20-\u02ff]*$/;
const mark = /^\p{M}$/u;

const kinds = { control: 8, mark: 4, rightToLeft: 12, emoji: 8, other: 2, newBlock: 800 } as const;
/** The note in place of marks that are left out. */
const noteWeight = 20;

/** The weight of a text; stops counting soon after `most`. */
export function textWeight(text: string, most = Number.POSITIVE_INFINITY): number {
  if (plain.test(text)) return text.length;
  const scale = weigher();
  let weight = 0;
  for (let at = 0; at < text.length && weight <= most; ) {
    const letter = text.codePointAt(at) ?? 0;
    weight += scale(letter);
    at += letter > 0xffff ? 2 : 1;
  }
  return weight;
}

/**
 * Where a chunk that begins at `from` ends: at the end of a line, else between words, else anywhere, but never within a
 * character. When a text grows only its last chunk changes.
 */
export function pieceEnd(text: string, from: number, most = sliceWeight): number {
  const limit = limitFrom(text, from, most);
  if (limit >= text.length) return text.length;
  // Searched in the chunk alone: searching back through the whole text for each chunk would be quadratic.
  const piece = text.slice(from, limit);
  const line = piece.lastIndexOf('\n');
  if (line > piece.length / 2) return from + line + 1;
  const space = piece.lastIndexOf(' ');
  return space > 0 && space > piece.length - 200 ? from + space + 1 : limit;
}

/** Splits a text into chunks light enough to be rendered at once; together they are the text. */
export function piecesOf(text: string, most = sliceWeight): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = pieceEnd(text, from, most);
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}

function limitFrom(text: string, from: number, most: number): number {
  if (plain.test(text.slice(from, from + most))) return from + most;
  const scale = weigher();
  let weight = 0;
  let at = from;
  while (at < text.length && at < from + mostCharacters) {
    const letter = text.codePointAt(at) ?? 0;
    weight += scale(letter);
    if (weight > most && at > from) return at;
    at += letter > 0xffff ? 2 : 1;
  }
  return at;
}

/** Weighs letters one after another: what a letter costs depends on those before it. */
function weigher(): (letter: number) => number {
  const blocks = new Set<number>();
  let marks = 0;
  return (letter) => {
    if (letter < 0x300) {
      marks = 0;
      return letter < 0x20 && letter !== 9 && letter !== 10 ? kinds.control : 1;
    }
    if (mark.test(String.fromCodePoint(letter))) {
      marks += 1;
      return marks <= mostMarks ? kinds.mark : marks === mostMarks + 1 ? noteWeight : 0;
    }
    marks = 0;
    // The first letter of a script may have to load its font.
    const isNew = !blocks.has(letter >> 7);
    if (isNew) blocks.add(letter >> 7);
    return weightOfKind(letter) + (isNew ? kinds.newBlock : 0);
  };
}

function weightOfKind(letter: number): number {
  if (letter >= 0x590 && letter <= 0x8ff) return kinds.rightToLeft;
  if (letter >= 0xe00 && letter <= 0x17ff) return kinds.mark;
  if (letter > 0xffff) return kinds.emoji;
  if (letter >= 0x2000 && letter <= 0x206f) return letter >= 0x200b ? kinds.control : 1;
  return kinds.other;
}
