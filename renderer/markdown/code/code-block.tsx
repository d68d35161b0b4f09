import { Check, Copy, WrapText } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { languageName } from '#shared/markdown/languages.ts';
import { LazyBox } from '../../long-text/lazy-box.tsx';
import { LazyGroups } from '../../long-text/lazy-groups.tsx';
import { getLines } from '../../long-text/long-text.tsx';
import { shownText } from '../../long-text/shown-text.ts';
import { textWeight } from '../../long-text/weight.ts';
import { text as chatText } from '../../text/chat-text.ts';
import { markdownText as words } from '../../text/markdown-text.ts';
import { Button } from '../../ui/elements/button.tsx';
import { IconButton } from '../../ui/elements/icon-button.tsx';
import { ScrollGroup } from '../../ui/elements/scroll-group.tsx';
import { useCopy } from '../../ui/notices/use-copy.ts';
import { type CodeLine, codeChunks, isLong } from './code-chunks.ts';
import type { Span } from './highlight-messages.ts';
import { useHighlighted } from './use-highlighted.ts';
import { useWrap } from './use-wrap.ts';

interface CodeLinesProps {
  lines: readonly string[];
  coloured: readonly (readonly Span[])[];
  wrap: boolean;
}

const linePx = 20;
const lettersOfLine = 80;
/** The factor for highlighted code, because each highlighted word is an element. */
const colourWeight = 3;

/** Code in chunks that are rendered near the viewport. */
function CodeLines({ lines, coloured, wrap }: CodeLinesProps) {
  const chunks = codeChunks(lines);
  return (
    <LazyGroups
      count={chunks.length}
      guessPx={(index) => chunkPx(chunks[index] ?? [], wrap)}
      box={(index) => {
        const chunk = chunks[index] ?? [];
        const first = chunk[0]?.number ?? null;
        const spans = first === null ? nothing : coloured.slice(first, first + chunk.length);
        const ends = { only: chunks.length === 1, last: index === chunks.length - 1 };
        return <Chunk key={index} chunk={chunk} spans={spans} wrap={wrap} {...ends} />;
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
          chunk.map(({ text, ends }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its number
            <Line key={index} text={text} spans={spans[index]} end={ends && !(last && index === chunk.length - 1)} />
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
    before.chunk.every((line, index) => line.text === now.chunk[index]?.text && line.ends === now.chunk[index]?.ends) &&
    before.spans.length === now.spans.length &&
    before.spans.every((line, index) => line === now.spans[index]),
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
  // Spans of an earlier version of this line don't fit.
  const fits = spans && spans.reduce((sum, [part]) => sum + part.length, 0) === text.length;
  return (
    <>
      {fits
        ? spans.map(([part, colour], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a span is identified by its position
            <span key={index} className={colour ? `tok-${colour}` : undefined}>
              {shownText(part)}
            </span>
          ))
        : shownText(text)}
      {end ? '\n' : ''}
    </>
  );
});

interface CodeBlockProps {
  code: string;
  language: string;
  /** The last line may still grow. */
  live: boolean;
  note?: string | null;
  tools?: ReactNode;
}

export function CodeBlock({ code, language, live, note, tools }: CodeBlockProps) {
  const [wrap, toggleWrap] = useWrap();
  const lines = code.split('\n');
  const coloured = useHighlighted(code, language, live);
  const wrapped = wrap || lines.some(isLong);
  const name = languageName(language, words.text);
  return (
    <div className="code-block">
      <div className="code-head">
        <span className="text-fg-2">{name}</span>
        <span className="text-fg-3 tabular-nums">{words.lines(lines.length)}</span>
        <span className="flex-1" />
        {tools}
        <IconButton icon={WrapText} label={words.wrap} size="sm" aria-pressed={wrap} onClick={toggleWrap} />
        <CopyCode code={code} />
      </div>
      <ScrollGroup label={words.codeIn(name)} className="code-lines" data-wrap={wrapped || undefined}>
        <pre>
          <code>
            <CodeLines lines={lines} coloured={coloured} wrap={wrapped} />
          </code>
        </pre>
      </ScrollGroup>
      {note && <p className="border-line border-t px-3 py-2 text-fg-2 text-xs">{note}</p>}
    </div>
  );
}

function CopyCode({ code }: { code: string }) {
  const [copied, copy] = useCopy();
  return (
    <Button variant="quiet" className="h-7 px-2 text-xs" onClick={() => void copy(code.replace(/\n+$/, ''))}>
      {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      {copied ? chatText.copied : words.copy}
    </Button>
  );
}
