import { ChevronRight, Wrench } from 'lucide-react';
import { memo, useEffect, useState } from 'react';
import type { Message } from '#shared/contract/conversations.ts';
import { clockOf } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ProviderMark } from '../../ui/provider-mark.tsx';
import { AnswerFooter } from './answer-footer.tsx';
import { ErrorBlock } from './error-block.tsx';
import { Blocks } from './markdown/block.tsx';
import { text } from './text.ts';
import { useAnswer } from './use-answer.ts';

const longest = 200_000;

interface AnswerProps {
  message: Message;
  busy: boolean;
  onRegenerate: (answerId: string) => void;
}

export const Answer = memo(function Answer({ message, busy, onRegenerate }: AnswerProps) {
  const view = useAnswer(message);
  const name = message.modelName ?? message.servedModel ?? message.model ?? text.model;
  const provider = message.servedProvider ?? message.model?.split('/')[0] ?? '?';
  const streaming = message.status === 'streaming';
  const retry = () => onRegenerate(message.id);
  return (
    <article aria-label={name} aria-busy={streaming} className="group flex flex-col pt-2 pb-4">
      <header className="mb-2 flex h-6 items-center gap-2 text-xs">
        <ProviderMark provider={provider} />
        <h2 className="truncate font-semibold text-sm">{name}</h2>
        {message.simulated && <Badge>{text.simulated}</Badge>}
        <time className="text-fg-3 tabular-nums" dateTime={new Date(message.createdAt).toISOString()}>
          {clockOf(message.createdAt)}
        </time>
      </header>
      {view.reasoning !== '' && <Reasoning reasoning={view.reasoning} message={message} />}
      {message.toolCalls.map((call) => (
        <ToolCall key={call.id} name={call.name} input={call.arguments} />
      ))}
      <Body message={message} />
      {streaming && view.tokens.length === 0 && !view.pending && <Waiting name={name} since={message.createdAt} />}
      <End message={message} empty={view.tokens.length === 0 && !view.pending} onRetry={retry} />
      <AnswerFooter message={message} busy={busy} onRegenerate={retry} />
    </article>
  );
});

function Body({ message }: { message: Message }) {
  const view = useAnswer(message);
  const [whole, setWhole] = useState(false);
  if (view.pending) return <PlainText text={message.text} />;
  if (view.tokens.length === 0) return null;
  const shown = whole ? view.tokens : firstOf(view.tokens);
  return (
    <div className="prose">
      <Blocks tokens={shown} live={view.live} />
      {shown.length < view.tokens.length && (
        <Button onClick={() => setWhole(true)}>{text.showAll(message.text.length)}</Button>
      )}
    </div>
  );
}

/** What is not parsed yet, as it stands; most is parsed before anybody could read it so. */
function PlainText({ text: source }: { text: string }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(setLate, 200, true);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="prose" aria-busy>
      {late && <p className="raw">{source.slice(0, longest)}</p>}
    </div>
  );
}

/** What fits into the limit: drawing megabytes would freeze the window. */
function firstOf<Part extends { raw: string }>(tokens: readonly Part[]): readonly Part[] {
  let length = 0;
  const over = tokens.findIndex((token) => {
    length += token.raw.length;
    return length > longest;
  });
  return over === -1 ? tokens : tokens.slice(0, Math.max(1, over));
}

/** How it ended, where that is not simply the end. */
function End({ message, empty, onRetry }: { message: Message; empty: boolean; onRetry: () => void }) {
  if (message.status === 'error') return <ErrorBlock message={message} onRetry={onRetry} />;
  if (message.status === 'cancelled') return <p className="mt-2 text-fg-3 text-sm">{text.stopped}</p>;
  if (message.status === 'interrupted') return <p className="mt-2 text-fg-2 text-sm">{text.interrupted}</p>;
  if (message.status === 'done' && empty && message.toolCalls.length === 0)
    return <p className="text-fg-3 text-sm">{text.noText}</p>;
  return null;
}

/** A steady dot at once; after four seconds, what is waited for by name. */
function Waiting({ name, since }: { name: string; since: number }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.floor((now - since) / 1000);
  return (
    <p className="flex h-6 items-center gap-2 text-fg-3 text-sm tabular-nums">
      <span className="breathe size-2 rounded-full bg-accent" aria-hidden />
      {seconds >= 4 && text.waiting(name, seconds)} {seconds >= 20 && text.waitingLong}
    </p>
  );
}

const foldLook = 'group/fold mb-2 text-sm text-fg-2';
const summaryLook =
  'inline-flex h-7 max-w-full cursor-default list-none items-center gap-1.5 rounded-control pr-2 hover:text-fg [&::-webkit-details-marker]:hidden';
const foldArrow = 'shrink-0 transition-transform duration-[120ms] group-open/fold:rotate-90';

function Reasoning({ reasoning, message }: { reasoning: string; message: Message }) {
  const thinking = message.status === 'streaming' && message.text === '';
  return (
    <details className={foldLook}>
      <summary className={summaryLook}>
        <ChevronRight size={14} className={foldArrow} aria-hidden />
        {thinking && message.firstTokenAt === null
          ? text.thinking
          : text.thought(message.usage?.reasoningTokens ?? null)}
      </summary>
      <p className="mt-1 ml-1.5 max-h-96 overflow-auto whitespace-pre-wrap border-line border-l pl-4 text-fg-2">
        {reasoning}
      </p>
    </details>
  );
}

function ToolCall({ name, input }: { name: string; input: string }) {
  return (
    <details className={foldLook}>
      <summary className={summaryLook}>
        <ChevronRight size={14} className={foldArrow} aria-hidden />
        <Wrench size={14} aria-hidden />
        {text.tool(name)}
      </summary>
      <pre className="mt-1 ml-1.5 overflow-auto whitespace-pre-wrap border-line border-l pl-4 font-mono text-xs">
        {input}
      </pre>
    </details>
  );
}
