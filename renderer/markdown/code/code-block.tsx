import { Check, Copy, WrapText } from 'lucide-react';
import type { ReactNode } from 'react';
import { languageName } from '#shared/markdown/languages.ts';
import { text as chatText } from '../../text/chat-text.ts';
import { markdownText as words } from '../../text/markdown-text.ts';
import { Button } from '../../ui/elements/button.tsx';
import { IconButton } from '../../ui/elements/icon-button.tsx';
import { ScrollGroup } from '../../ui/elements/scroll-group.tsx';
import { useCopy } from '../../ui/notices/use-copy.ts';
import { isLong } from './code-chunks.ts';
import { CodeLines } from './code-lines.tsx';
import { useHighlighted } from './use-highlighted.ts';
import { useWrap } from './use-wrap.ts';

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
