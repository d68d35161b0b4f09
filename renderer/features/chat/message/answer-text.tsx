import { useEffect, useState } from 'react';
import { useAwaited } from '../../../browser/use-settled.ts';
import { LongText } from '../../../long-text/long-text.tsx';
import { Prose } from '../../../markdown/prose.tsx';
import { text } from '../../../text/chat-text.ts';
import { useAnswer } from '../data/use-answer.ts';
import { Collapsible } from '../state/collapsible.tsx';
import type { ThreadItem } from '../state/thread-items.ts';
import { getHead } from '../state/thread-items.ts';

const proseLine = { heightPx: 24, letters: 95 };
const reasoningLine = { heightPx: 20, letters: 100 };

/** The growing part of an answer: chunks re-render only this. */
export function AnswerText({ item, name }: { item: ThreadItem; name: string }) {
  const view = useAnswer(item);
  const shown = item.toolCalls.length > 0 || item.attachments.length > 0;
  const silent = view.tokens.length === 0 && !view.pending && !shown;
  const thinking = item.status === 'streaming' && silent && view.reasoning !== '' && item.thoughtMs === null;
  const waiting = item.status === 'streaming' && silent && !thinking;
  return (
    <>
      {view.reasoning !== '' && <Reasoning reasoning={view.reasoning} thinking={thinking} item={item} />}
      {view.pending && <PlainText text={item.text} />}
      <Prose tokens={view.tokens} live={view.live} />
      {waiting && <Waiting name={name} since={item.createdAt} />}
    </>
  );
}

/** Text that is not parsed yet; usually parsed before anyone could read it. */
function PlainText({ text: source }: { text: string }) {
  const [late, setLate] = useState(false);
  useAwaited();
  useEffect(() => {
    const timer = setTimeout(setLate, 200, true);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="prose" aria-busy>
      {late && (
        <div className="raw">
          <LongText text={source} line={proseLine} />
        </div>
      )}
    </div>
  );
}

/** A dot at once; after four seconds the name of the model that is waited for. */
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

interface ReasoningProps {
  reasoning: string;
  /** The text has not begun. */
  thinking: boolean;
  item: ThreadItem;
}

function Reasoning({ reasoning, thinking, item }: ReasoningProps) {
  const label = thinking ? (
    <>
      <span className="breathe size-2 shrink-0 rounded-full bg-accent" aria-hidden />
      <span className="shrink-0">{text.thinking}</span>
      <span className="min-w-0 truncate text-fg-3">{lastSentence(reasoning)}</span>
    </>
  ) : (
    text.thought(item.thoughtMs, item.usage?.reasoningTokens ?? null)
  );
  return (
    <Collapsible id={`${getHead(item)}:reasoning`} label={label}>
      <div className="mt-1 mb-3 ml-1.5 whitespace-pre-wrap border-line border-l pl-4 text-fg-2 wrap-anywhere">
        <LongText text={reasoning} line={reasoningLine} />
      </div>
    </Collapsible>
  );
}

/** What is being thought, on one line and without Markdown’s signs. */
const lastSentence = (reasoning: string): string =>
  reasoning
    .slice(-400)
    .split(/(?<=[.!?…])\s+|\n+/)
    .map((sentence) => sentence.replace(/^[\s#>*-]+|[*`_]+/g, ''))
    .findLast((sentence) => /[\p{L}\p{N}]/u.test(sentence)) ?? '';
