import { useMemo } from 'react';
import { LazyBox } from './lazy-box.tsx';
import { LazyGroups } from './lazy-groups.tsx';
import { TextNodes } from './text-nodes.tsx';
import { textWeight, toLineBlocks } from './weight.ts';

interface LongTextProps {
  text: string;
  /** Height of a line in pixels, and the number of letters that fit into it. */
  line: { readonly heightPx: number; readonly letters: number };
  /**
   * Transforms a chunk before it is rendered. Transforming chunk by chunk must give the same result as transforming the
   * whole text.
   */
  as?: ((piece: string) => string) | undefined;
}

/** Plain text of any length with its line breaks, rendered near the viewport in chunks of whole lines. */
export function LongText({ text, line, as }: LongTextProps) {
  const pieces = useMemo(() => toLineBlocks(text).map((piece) => ({ piece, weight: textWeight(piece) })), [text]);
  const guess = (index: number) => getLines(pieces[index]?.piece ?? '', line.letters) * line.heightPx;
  return (
    <LazyGroups
      count={pieces.length}
      guessPx={guess}
      box={(index) => (
        <LazyBox
          key={index}
          weight={pieces[index]?.weight ?? 0}
          guessPx={() => guess(index)}
          first={pieces.length === 1}
        >
          {(maxWeight) => <TextNodes text={pieces[index]?.piece ?? ''} maxWeight={maxWeight} as={as} />}
        </LazyBox>
      )}
    />
  );
}

/** Estimates the number of lines. */
export function getLines(text: string, letters: number): number {
  let lines = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const length = (end === -1 ? text.length : end) - from;
    lines += Math.max(1, Math.ceil(length / letters));
    from += length + 1;
  }
  return lines;
}
