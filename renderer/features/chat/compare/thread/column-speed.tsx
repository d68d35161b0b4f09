import { useEffect, useState } from 'react';
import { compareText } from '../../../../text/compare-text.ts';
import { costsText as text } from '../../../../text/costs-text.ts';
import { useLiveAnswers } from '../../data/use-answer.ts';
import { getSpeed } from '../../message/answer-footer.tsx';
import type { ThreadItem } from '../../state/thread-items.ts';

/** Average characters per token; used only until the usage is known, and marked as an estimate. */
const charactersPerToken = 4;
const everyMs = 500;

/** Time to the first token and tokens per second: estimated while streaming, exact afterwards. */
export function ColumnSpeed({ item }: { item: ThreadItem }) {
  const live = useLiveSpeed(item);
  const firstAt = item.firstTokenAt ?? live.firstAt;
  const speed = item.status === 'streaming' ? live.perSecond : getSpeed(item);
  const words = item.status === 'streaming' ? compareText.aboutSpeed : text.speed;
  return (
    <>
      {firstAt !== null && <span>{compareText.first(seconds(firstAt - item.createdAt))}</span>}
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
  /** When this window saw the first text; null before. */
  readonly firstAt: number | null;
  readonly perSecond: number | null;
}

/** Sampled twice a second, so that chunks re-render only the text. */
function useLiveSpeed(item: ThreadItem): LiveSpeed {
  const answers = useLiveAnswers();
  const [speed, setSpeed] = useState<LiveSpeed>({ firstAt: null, perSecond: null });
  const running = item.status === 'streaming';
  useEffect(() => {
    if (!running) return;
    let firstAt = item.firstTokenAt;
    const look = () => {
      const { written } = answers.view(item);
      if (written === 0) return;
      firstAt ??= Date.now();
      const took = (Date.now() - firstAt) / 1000;
      setSpeed({ firstAt, perSecond: took < 1 ? null : Math.round(written / charactersPerToken / took) });
    };
    const timer = setInterval(look, everyMs);
    return () => clearInterval(timer);
  }, [answers, item, running]);
  return speed;
}
