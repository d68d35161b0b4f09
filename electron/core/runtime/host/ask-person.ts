import type { Language } from '#shared/language/messages.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { VisibleLine } from '#shared/visible.ts';
import type { Host } from './host.ts';

/** A question to the user, outside of the page. The text is ours, and only the facts in it come from someone else. */
export interface Question {
  /** What is about to happen, such as `Start this program?`. */
  readonly title: string;
  readonly advice: string;
  readonly facts: readonly { readonly label: string; readonly lines: readonly VisibleLine[] }[];
  /** The confirming button. Closing the question means no. */
  readonly yes: string;
  readonly no: string;
  /** The language of these texts, which the host also uses for its own. */
  readonly language: Language;
}

/**
 * Asks the user and resolves if they agree. `subject` is exactly what they agree to: simultaneous calls with the same
 * subject share the answer. Throws `not_confirmed`, `confirmation_busy` or the signal's reason.
 */
export type AskPerson = (subject: string, question: Question, signal: AbortSignal) => Promise<void>;

const firstPauseMs = 5_000;
const maxPauseMs = 600_000;

/** The first refusal has no effect. From the second one on, each refusal doubles the wait before the next question. */
const pauseAfter = (refusals: number): number =>
  refusals < 2 ? 0 : Math.min(firstPauseMs * 2 ** (refusals - 2), maxPauseMs);

/**
 * Allows only one question at a time, whoever asks, because a compromised page must not be able to wear the user down.
 */
export function createAskPerson({ confirm, elapsed }: Pick<Host, 'confirm'> & { elapsed: () => number }): AskPerson {
  let open: { readonly subject: string; readonly answer: Promise<boolean> } | null = null;
  let refusals = 0;
  let quietUntil = 0;

  async function put(question: Question, signal: AbortSignal): Promise<boolean> {
    let yes = false;
    try {
      yes = (await confirm(question, signal)) && !signal.aborted;
      return yes;
    } finally {
      open = null;
      refusals = yes ? 0 : refusals + 1;
      quietUntil = elapsed() + pauseAfter(refusals);
    }
  }

  function answerTo(subject: string, question: Question, signal: AbortSignal): Promise<boolean> {
    if (open?.subject === subject) return open.answer;
    if (open) throw refusal('confirmation_busy', 'askedAlready');
    const waitMs = Math.ceil(quietUntil - elapsed());
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      throw refusal('confirmation_busy', 'askedTooOften', { seconds }, { retryAfterMs: waitMs });
    }
    const answer = put(question, signal);
    open = { subject, answer };
    return answer;
  }

  return async (subject, question, signal) => {
    signal.throwIfAborted();
    const yes = await answerTo(subject, question, signal);
    signal.throwIfAborted();
    if (!yes) throw refusal('not_confirmed', 'saidNo');
  };
}
