import { useCountdown } from '../../browser/use-countdown.ts';
import type { ErrorText } from '../../text/error-text.ts';
import { text } from '../../text/ui-text.ts';

type Waiting = Pick<ErrorText, 'remedy' | 'retryAt'>;

/** The remedy of a failure, with the remaining seconds of a requested wait. Empty without a failure. */
export function useRemedy(failure: Waiting | null, byItself = false): string {
  const wait = useCountdown(failure?.retryAt ?? null);
  if (!failure) return '';
  return wait > 0 ? (byItself ? text.tryingAgainIn : text.tryAgainIn)(wait) : failure.remedy;
}

/**
 * The same as an element whose countdown screen readers do not read out. `byItself`: it will be retried automatically.
 */
export function Remedy({ failure, byItself = false }: { failure: Waiting; byItself?: boolean }) {
  const remedy = useRemedy(failure, byItself);
  return (
    <span role="timer" aria-live="off">
      {remedy}
    </span>
  );
}

/** The sentence of a failure and its remedy. */
export function FailureWords({ failure }: { failure: ErrorText }) {
  return (
    <>
      {failure.sentence} <Remedy failure={failure} />
    </>
  );
}
