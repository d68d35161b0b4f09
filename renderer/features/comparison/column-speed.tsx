import { useEffect, useState } from 'react';
import { compareText } from '../../text/compare-text.ts';
import { costsText as text } from '../../text/costs-text.ts';
import { speedOf } from '../message/answer-footer.tsx';
import { useLiveAnswers } from '../thread-data/use-answer.ts';
import type { ThreadItem } from '../thread-state/thread-items.ts';

/** What models write in about one token. Only where no usage is told yet, and marked as about. */
const charactersPerToken = 4;
const everyMs = 500;

/** How long the first word took and how fast the rest comes: about, while it is written; as it was counted, when it is over. */
export function ColumnSpeed({ entry }: { entry: ThreadItem }) {
  const live = useLiveSpeed(entry);
  const firstAt = entry.firstTokenAt ?? live.firstAt;
  const speed = entry.status === 'streaming' ? live.perSecond : speedOf(entry);
  const words = entry.status === 'streaming' ? compareText.aboutSpeed : text.speed;
  return (
    <>
      {firstAt !== null && <span>{compareText.first(seconds(firstAt - entry.createdAt))}</span>}
      {speed !== null && (
        <>
          <span aria-hidden>·</span>
          <span>{words(speed)}</span>
        </>
      )}
    </>
  );
}

const seconds = (ms: number): string => (Math.max(0, ms) / 1000).toFixed(1);

interface LiveSpeed {
  /** When the first word was seen here; null where none was. */
  readonly firstAt: number | null;
  readonly perSecond: number | null;
}

/** Looked at twice a second: what is drawn again with each piece is the text alone. */
function useLiveSpeed(entry: ThreadItem): LiveSpeed {
  const answers = useLiveAnswers();
  const [speed, setSpeed] = useState<LiveSpeed>({ firstAt: null, perSecond: null });
  const running = entry.status === 'streaming';
  useEffect(() => {
    if (!running) return;
    let firstAt = entry.firstTokenAt;
    const look = () => {
      const { written } = answers.view(entry);
      if (written === 0) return;
      firstAt ??= Date.now();
      const took = (Date.now() - firstAt) / 1000;
      setSpeed({ firstAt, perSecond: took < 1 ? null : Math.round(written / charactersPerToken / took) });
    };
    const timer = setInterval(look, everyMs);
    return () => clearInterval(timer);
  }, [answers, entry, running]);
  return speed;
}
