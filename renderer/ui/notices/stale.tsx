import { describeError } from '../../text/error-text.ts';
import { formatClock } from '../../text/format.ts';
import { text } from '../../text/ui-text.ts';
import { Notice } from './notice.tsx';
import { Remedy } from './remedy.tsx';

/** Shown above cached data whose refetch failed: the reason, the age of the data, and when the refetch is repeated. */
export function Stale({ error, readAt }: { error: unknown; readAt?: number }) {
  if (!error) return null;
  const failure = describeError(error);
  return (
    <div className="py-2">
      <Notice tone="warn">
        {failure.sentence} {readAt !== undefined && text.readAt(formatClock(readAt))}{' '}
        <Remedy failure={failure} byItself />
      </Notice>
    </div>
  );
}
