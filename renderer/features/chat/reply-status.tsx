import { useEffect, useRef, useState } from 'react';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { useThreadView } from '../../navigation/thread-view.ts';
import { text } from '../../text/chat-text.ts';
import { compareText } from '../../text/compare-text.ts';
import { getTitle } from '../../text/tools-text.ts';
import type { ThreadItem } from './state/thread-items.ts';

const stillEveryMs = 15_000;

/** Announces the progress of the reply to screen readers, without reading out each chunk. */
export function ReplyStatus({ last }: { last: ThreadItem | undefined }) {
  const [said, setSaid] = useState('');
  const before = useRef<{ id: string; status: Message['status'] } | null>(null);
  const compared = last?.columns ?? null;
  const ended = compared?.filter(({ status }) => status !== 'streaming').length ?? 0;
  const all = compared?.length ?? 0;

  useEffect(() => {
    if (last?.role !== 'assistant') return;
    const known = before.current;
    before.current = { id: last.id, status: last.status };
    if (last.status === 'streaming') {
      const asks = last.toolCalls.find(({ run }) => run?.state === 'waiting');
      if (asks) return setSaid(text.toolAsks(getTitle(asks), asks.run?.server ?? ''));
      if (known?.id !== last.id) setSaid(text.began);
      const timer = setInterval(
        () => setSaid((now) => (now === text.going ? `${text.going}.` : text.going)),
        stillEveryMs,
      );
      return () => clearInterval(timer);
    }
    if (known?.id !== last.id || known.status !== 'streaming') return;
    // For a comparison the number of answers that have ended is announced below.
    if (last.columns) return;
    const words = last.text.split(/\s+/).filter(Boolean).length;
    setSaid(last.status === 'done' ? text.ended(words) : last.status === 'error' ? text.endedBadly : text.endedEarly);
  }, [last]);

  const known = useRef<{ id: string; ended: number } | null>(null);
  const comparison = compared?.[0]?.comparison?.id ?? null;
  useEffect(() => {
    const told = known.current;
    known.current = comparison === null ? null : { id: comparison, ended };
    // Answers that had ended when the chat was opened are not announced.
    if (comparison !== null && told?.id === comparison && ended > told.ended) setSaid(compareText.answers(ended, all));
  }, [comparison, ended, all]);

  const done = useThreadView((view) => view.announcement);
  return (
    <>
      <p role="status" className="sr-only">
        {said}
      </p>
      <p role="status" className="sr-only">
        {done}
      </p>
    </>
  );
}
