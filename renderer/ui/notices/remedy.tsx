import { useCountdown } from '../../browser/use-countdown.ts';
import type { ErrorText } from '../../text/error-text.ts';
import { text } from '../../text/ui-text.ts';

type Waiting = Pick<ErrorText, 'remedy' | 'retryAt'>;

/** What to do about a failure; while somebody asks to wait, for how long. Empty where nothing failed. */
export function useRemedy(failure: Waiting | null, byItself = false): string {
  const wait = useCountdown(failure?.retryAt ?? null);
  if (!failure) return '';
  return wait > 0 ? (byItself ? text.tryingAgainIn : text.tryAgainIn)(wait) : failure.remedy;
}

/** The same as an element whose seconds no screen reader reads out. `byItself`: it will be asked again without a click. */
export function Remedy({ failure, byItself = false }: { failure: Waiting; byItself?: boolean }) {
  const remedy = useRemedy(failure, byItself);
  return (
    <span role="timer" aria-live="off">
      {remedy}
    </span>
  );
}

/** What happened and what to do, one after the other. */
export function FailureWords({ failure }: { failure: ErrorText }) {
  return (
    <>
      {failure.sentence} <Remedy failure={failure} />
    </>
  );
}
