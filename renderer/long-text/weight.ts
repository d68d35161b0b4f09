/**
 * What text costs to draw, in plain letters: shaping and laying out one takes about half a microsecond, and what a letter
 * of any other kind was measured to take is its multiple here. A slice, the most that is drawn as one, takes some
 * milliseconds whatever stands in it.
 */
export const sliceWeight = 8_000;

/** So many marks over one letter are drawn; see `shown-text.ts`. */
export const mostMarks = 8;
/** A piece of text has no more characters than this, however little they weigh. */
const mostCharacters = 100_000;
const plain = /^[\t\n\r\x20-\u02ff]*$/;
const mark = /^\p{M}$/u;

const kinds = { control: 8, mark: 4, rightToLeft: 12, emoji: 8, other: 2, newBlock: 800 } as const;
/** What is said in place of marks that are left out. */
const noteWeight = 20;

/** The weight of a text, or somewhat more than `most` where it is heavier. */
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
 * Where a piece that begins at `from` ends: at a line's end, else between words, else anywhere, but never within a
 * character. Pieces of a text that grows stay where they are, all but the last.
 */
export function pieceEnd(text: string, from: number, most = sliceWeight): number {
  const limit = limitFrom(text, from, most);
  if (limit >= text.length) return text.length;
  // Looked for in the piece alone: looking back through all of the text, for each piece, would take its square.
  const piece = text.slice(from, limit);
  const line = piece.lastIndexOf('\n');
  if (line > piece.length / 2) return from + line + 1;
  const space = piece.lastIndexOf(' ');
  return space > 0 && space > piece.length - 200 ? from + space + 1 : limit;
}

/** The pieces of a text, each light enough to be drawn as one; together they are the text. */
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

/** Weighs letters one after another: what a letter costs hangs on those before it. */
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
    // The first letter of a script may have to find its font.
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
