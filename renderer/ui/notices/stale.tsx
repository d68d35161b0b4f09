import { describeError } from '../../text/error-text.ts';
import { text } from '../../text/ui-text.ts';
import { Notice } from './notice.tsx';
import { Remedy } from './remedy.tsx';

/** Shown above cached data whose refetch failed: why, and when it is repeated. */
export function Stale({ error }: { error: unknown }) {
  if (!error) return null;
  const failure = describeError(error);
  return (
    <div className="py-2">
      <Notice tone="warn">
        {failure.sentence} {text.readBefore} <Remedy failure={failure} byItself />
      </Notice>
    </div>
  );
}
