import { CircleSlash2 } from 'lucide-react';
import { describeError } from '../../text/error-text.ts';
import { text } from '../../text/ui-text.ts';
import { Empty } from './empty.tsx';
import { Failure } from './failure.tsx';

interface NotReadProps {
  title: string;
  /** Shown if the gateway in use doesn't report this at all, so that a retry is pointless. */
  notReported: string;
  error: unknown;
  onRetry: () => void;
}

/** Replaces figures by the reason why there are none. */
export function NotRead({ title, notReported, error, onRetry }: NotReadProps) {
  const { code, sentence } = describeError(error);
  if (code === 'not_reported') return <Empty icon={CircleSlash2} title={notReported} />;
  if (code === 'insufficient_scope')
    return (
      <Empty icon={CircleSlash2} title={title}>
        {sentence} {text.otherKey}
      </Empty>
    );
  return <Failure title={title} error={error} onRetry={onRetry} />;
}
