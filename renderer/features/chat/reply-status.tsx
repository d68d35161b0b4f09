import { useEffect, useRef, useState } from 'react';
import type { Message } from '#shared/contract/conversations.ts';
import { text } from './text.ts';
import { useThreadView } from './thread-view.ts';

const stillEveryMs = 15_000;

/** Says to a screen reader how the reply goes on, without reading it aloud piece by piece. */
export function ReplyStatus({ last }: { last: Message | undefined }) {
  const [said, setSaid] = useState('');
  const before = useRef<{ id: string; status: Message['status'] } | null>(null);

  useEffect(() => {
    if (last?.role !== 'assistant') return;
    const known = before.current;
    before.current = { id: last.id, status: last.status };
    if (last.status === 'streaming') {
      const asks = last.toolCalls.find(({ run }) => run?.state === 'waiting')?.run;
      if (asks) return setSaid(text.toolAsks(asks.title, asks.server));
      if (known?.id !== last.id) setSaid(text.began);
      const timer = setInterval(
        () => setSaid((now) => (now === text.going ? `${text.going}.` : text.going)),
        stillEveryMs,
      );
      return () => clearInterval(timer);
    }
    if (known?.id !== last.id || known.status !== 'streaming') return;
    const words = last.text.split(/\s+/).filter(Boolean).length;
    setSaid(last.status === 'done' ? text.ended(words) : last.status === 'error' ? text.endedBadly : text.endedEarly);
  }, [last]);

  const done = useThreadView((view) => view.said);
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
