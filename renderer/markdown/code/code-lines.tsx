import { memo } from 'react';
import { LazyBox } from '../../long-text/lazy-box.tsx';
import { LazyGroups } from '../../long-text/lazy-groups.tsx';
import { getLines } from '../../long-text/long-text.tsx';
import { shownText } from '../../long-text/shown-text.ts';
import { textWeight } from '../../long-text/weight.ts';
import { type CodeLine, codeChunks } from './code-chunks.ts';
import type { Span } from './highlight-messages.ts';

interface CodeLinesProps {
  lines: readonly string[];
  coloured: readonly (readonly Span[])[];
  wrap: boolean;
}

const linePx = 20;
const lettersOfLine = 80;
/** Each highlighted word is an element. */
const colourWeight = 3;

/** Code, in chunks that are rendered near the viewport. */
export function CodeLines({ lines, coloured, wrap }: CodeLinesProps) {
  const chunks = codeChunks(lines);
  return (
    <LazyGroups
      count={chunks.length}
      guessPx={(at) => chunkPx(chunks[at] ?? [], wrap)}
      box={(at) => {
        const chunk = chunks[at] ?? [];
        const first = chunk[0]?.number ?? null;
        const spans = first === null ? nothing : coloured.slice(first, first + chunk.length);
        const ends = { only: chunks.length === 1, last: at === chunks.length - 1 };
        return <Chunk key={at} chunk={chunk} spans={spans} wrap={wrap} {...ends} />;
      }}
    />
  );
}

const chunkPx = (chunk: readonly CodeLine[], wrap: boolean): number =>
  linePx * (wrap ? chunk.reduce((sum, { text }) => sum + Math.max(1, getLines(text, lettersOfLine)), 0) : chunk.length);

const nothing: CodeLinesProps['coloured'] = [];

interface ChunkProps {
  chunk: readonly CodeLine[];
  spans: CodeLinesProps['coloured'];
  wrap: boolean;
  only: boolean;
  last: boolean;
}

const Chunk = memo(
  function Chunk({ chunk, spans, wrap, only, last }: ChunkProps) {
    const weight = chunk.reduce((sum, { text }) => sum + textWeight(text), 0) * colourWeight;
    return (
      <LazyBox weight={weight} guessPx={() => chunkPx(chunk, wrap)} first={only}>
        {() =>
          chunk.map(({ text, ends }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
            <Line key={at} text={text} spans={spans[at]} end={ends && !(last && at === chunk.length - 1)} />
          ))
        }
      </LazyBox>
    );
  },
  (before, now) =>
    before.wrap === now.wrap &&
    before.only === now.only &&
    before.last === now.last &&
    before.chunk.length === now.chunk.length &&
    before.chunk.every((line, at) => line.text === now.chunk[at]?.text && line.ends === now.chunk[at]?.ends) &&
    before.spans.length === now.spans.length &&
    before.spans.every((line, at) => line === now.spans[at]),
);

const Line = memo(function Line({
  text,
  spans,
  end,
}: {
  text: string;
  spans: readonly Span[] | undefined;
  end: boolean;
}) {
  // Spans of an earlier version of this line do not fit.
  const fits = spans && spans.reduce((sum, [part]) => sum + part.length, 0) === text.length;
  return (
    <>
      {fits
        ? spans.map(([part, colour], at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a span is known by its position
            <span key={at} className={colour ? `tok-${colour}` : undefined}>
              {shownText(part)}
            </span>
          ))
        : shownText(text)}
      {end ? '\n' : ''}
    </>
  );
});
