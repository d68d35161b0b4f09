import { getPieces } from '../../long-text/weight.ts';

/** A line of code, or a part of a line that is too long to be rendered at once. */
export interface CodeLine {
  readonly text: string;
  /** Line number from 0. Null for a part of a line. */
  readonly number: number | null;
  /** True if it ends with a line break. */
  readonly ends: boolean;
}

/** The maximum of lines rendered together. It is small, because highlighted code consists of many small elements. */
const chunk = { lines: 30, letters: 1_500 } as const;

/** Splits code into chunks. When code grows, only the last chunk changes. */
export function codeChunks(lines: readonly string[]): readonly (readonly CodeLine[])[] {
  const chunks: CodeLine[][] = [];
  let letters = Number.POSITIVE_INFINITY;
  for (const [number, line] of lines.entries()) {
    for (const part of getParts(line, number)) {
      letters += part.text.length;
      const last = chunks.at(-1);
      if (last && letters <= chunk.letters && last.length < chunk.lines) last.push(part);
      else {
        chunks.push([part]);
        letters = part.text.length;
      }
    }
  }
  return chunks;
}

/** True if a line is rendered in parts. Such a line is always wrapped, whatever the reader has chosen. */
export const isLong = (line: string): boolean => line.length > chunk.letters;

function getParts(text: string, number: number): CodeLine[] {
  if (!isLong(text)) return [{ text, number, ends: true }];
  const pieces = getPieces(text, chunk.letters);
  return pieces.map((piece, index) => ({ text: piece, number: null, ends: index === pieces.length - 1 }));
}
