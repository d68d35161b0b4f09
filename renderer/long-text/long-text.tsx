import { useMemo } from 'react';
import { LazyBox } from './lazy-box.tsx';
import { LazyGroups } from './lazy-groups.tsx';
import { shownText } from './shown-text.ts';
import { piecesOf, sliceWeight } from './weight.ts';

interface LongTextProps {
  text: string;
  /** Height of a line in pixels, and how many letters fit into it. */
  line: { readonly heightPx: number; readonly letters: number };
  /** Transforms a chunk before it is rendered; must give the same by chunk as for the whole text. */
  as?: (piece: string) => string;
}

/** Plain text of any length with its line ends, rendered in chunks near the viewport. */
export function LongText({ text, line, as = same }: LongTextProps) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  const guess = (at: number) => linesOf(pieces[at] ?? '', line.letters) * line.heightPx;
  return (
    <LazyGroups
      count={pieces.length}
      guessPx={guess}
      box={(at) => (
        <LazyBox key={at} weight={sliceWeight} guessPx={() => guess(at)} first={pieces.length === 1}>
          {() => shownText(as(pieces[at] ?? ''))}
        </LazyBox>
      )}
    />
  );
}

const same = (piece: string): string => piece;

/** Estimated number of lines. */
export function linesOf(text: string, letters: number): number {
  let lines = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const length = (end === -1 ? text.length : end) - from;
    lines += Math.max(1, Math.ceil(length / letters));
    from += length + 1;
  }
  return lines;
}
