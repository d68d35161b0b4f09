import { piecesOf } from '../../long-text/weight.ts';

/** A line of code, or a part of one that is too long to be drawn as one. */
export interface CodeLine {
  readonly text: string;
  /** Which line of the code it is the whole of, from 0; null where it is a part of one. */
  readonly number: number | null;
  /** A line ends here. */
  readonly ends: boolean;
}

/** Drawn together. Coloured code is many small elements, so they are few. */
const chunk = { lines: 30, letters: 1_500 } as const;

/** Lines of code in chunks that are drawn one by one. Chunks of code that grows stay as they are, all but the last. */
export function codeChunks(lines: readonly string[]): readonly (readonly CodeLine[])[] {
  const chunks: CodeLine[][] = [];
  let letters = Number.POSITIVE_INFINITY;
  for (const [number, line] of lines.entries()) {
    for (const part of partsOf(line, number)) {
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

/** Whether a line is so long that it is drawn in parts: then lines are wrapped, whatever the reader has chosen. */
export const isLong = (line: string): boolean => line.length > chunk.letters;

function partsOf(text: string, number: number): CodeLine[] {
  if (!isLong(text)) return [{ text, number, ends: true }];
  const pieces = piecesOf(text, chunk.letters);
  return pieces.map((piece, at) => ({ text: piece, number: null, ends: at === pieces.length - 1 }));
}
