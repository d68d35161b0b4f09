import { Check, Copy, WrapText } from 'lucide-react';
import { memo, type ReactNode, useState } from 'react';
import { languageName } from '#shared/markdown/languages.ts';
import { Button } from '../../../ui/button.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { ScrollGroup } from '../../../ui/scroll-group.tsx';
import { useCopy } from '../../../ui/use-copy.ts';
import { text as words } from '../text.ts';
import type { Span } from './highlight-messages.ts';
import { useHighlighted } from './use-highlighted.ts';
import { useWrap } from './use-wrap.ts';

const mostLines = 2000;

interface CodeBlockProps {
  code: string;
  language: string;
  /** Its last line may still grow. */
  live: boolean;
  /** Said below the code. */
  note?: string | null;
  /** Further buttons. */
  tools?: ReactNode;
}

export function CodeBlock({ code, language, live, note, tools }: CodeBlockProps) {
  const [wrap, toggleWrap] = useWrap();
  const [whole, setWhole] = useState(false);
  const lines = code.split('\n');
  const shown = whole ? lines : lines.slice(0, mostLines);
  const coloured = useHighlighted(shown.length === lines.length ? code : shown.join('\n'), language, live);
  const name = languageName(language, words.text);
  return (
    <div className="code-block">
      <div className="flex h-9 items-center gap-2 border-line border-b pr-1.5 pl-3 text-xs font-medium">
        <span className="text-fg-2">{name}</span>
        <span className="text-fg-3 tabular-nums">{words.lines(lines.length)}</span>
        <span className="flex-1" />
        {tools}
        <IconButton icon={WrapText} label={words.wrap} size="sm" aria-pressed={wrap} onClick={toggleWrap} />
        <CopyCode code={code} />
      </div>
      <ScrollGroup label={words.codeIn(name)} className="code-lines" data-wrap={wrap || undefined}>
        <pre>
          <code>
            {shown.map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
              <Line key={at} text={line} spans={coloured[at]} last={at === shown.length - 1} />
            ))}
          </code>
        </pre>
      </ScrollGroup>
      {note && <p className="border-line border-t px-3 py-2 text-fg-2 text-xs">{note}</p>}
      {shown.length < lines.length && (
        <Button look="quiet" className="m-1.5" onClick={() => setWhole(true)}>
          {words.showLines(lines.length)}
        </Button>
      )}
    </div>
  );
}

const Line = memo(function Line({
  text,
  spans,
  last,
}: {
  text: string;
  spans: readonly Span[] | undefined;
  last: boolean;
}) {
  // Colours of an older text of this line are no colours of it.
  const fits = spans && spans.reduce((sum, [part]) => sum + part.length, 0) === text.length;
  return (
    <>
      {fits
        ? spans.map(([part, colour], at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a span is its place
            <span key={at} className={colour ? `tok-${colour}` : undefined}>
              {part}
            </span>
          ))
        : text}
      {last ? '' : '\n'}
    </>
  );
});

function CopyCode({ code }: { code: string }) {
  const [copied, copy] = useCopy();
  return (
    <Button look="quiet" className="h-7 px-2 text-xs" onClick={() => void copy(code.replace(/\n+$/, ''))}>
      {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      {copied ? words.copied : words.copy}
    </Button>
  );
}
