import type { Language } from '#shared/language/messages.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { VisibleLine } from '#shared/visible.ts';
import type { Host } from './host.ts';

/** A question that a person answers outside of the page. Its words are ours; only the facts come from elsewhere. */
export interface Question {
  /** What is about to happen, such as `Start this program?`. */
  readonly title: string;
  readonly advice: string;
  readonly facts: readonly { readonly label: string; readonly lines: readonly VisibleLine[] }[];
  /** The buttons. No is what closing the question means. */
  readonly yes: string;
  readonly no: string;
  /** The language of these words: what a host adds is in it too. */
  readonly language: Language;
}

/**
 * Asks a person and answers once they have said yes. `subject` is the very thing that is agreed to: whoever asks for the
 * same at the same time shares the answer. Throws `not_confirmed`, `confirmation_busy` or the signal's reason.
 */
export type AskPerson = (subject: string, question: Question, signal: AbortSignal) => Promise<void>;

const firstPauseMs = 5_000;
const longestPauseMs = 600_000;

/** A slip costs nothing; who goes on asking after a second no has to wait, twice as long each time. */
const pauseAfter = (refusals: number): number =>
  refusals < 2 ? 0 : Math.min(firstPauseMs * 2 ** (refusals - 2), longestPauseMs);

/** One question at a time, whoever asks: a page that was taken over must not wear a person down. */
export function personAsked({ confirm, elapsed }: Pick<Host, 'confirm'> & { elapsed: () => number }): AskPerson {
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
