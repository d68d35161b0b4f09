import { useCountdown } from '../../browser/use-countdown.ts';
import type { ErrorText } from '../../text/error-text.ts';
import { text } from '../../text/ui-text.ts';

type Waiting = Pick<ErrorText, 'remedy' | 'retryAt'>;

/** Returns the remedy of a failure, with the remaining seconds of a requested wait. Empty without a failure. */
export function useRemedy(failure: Waiting | null, byItself = false): string {
  const wait = useCountdown(failure?.retryAt ?? null);
  if (!failure) return '';
  return wait > 0 ? (byItself ? text.tryingAgainIn : text.tryAgainIn)(wait) : failure.remedy;
}

/**
 * Shows the remedy with a countdown that screen readers don't read out. With `byItself`, the call is retried
 * automatically.
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
