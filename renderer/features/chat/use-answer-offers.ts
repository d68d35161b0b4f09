import { useOffers } from '../../actions/offers.ts';
import { getHandle } from '../../handles/handles.ts';
import { useThreadView } from '../../navigation/thread-view.ts';
import type { MessageActions } from './state/message-actions.ts';
import type { ThreadItem } from './state/thread-items.ts';
import { isCut } from './state/use-thread-keys.ts';

/** Offers what can be done with the end of the open chat: its last answer and its last question. */
export function useAnswerOffers(items: readonly ThreadItem[], actions: MessageActions, busy: boolean): void {
  const last = items.at(-1);
  const answer = last && last.role === 'assistant' && !last.columns && last.status !== 'streaming' ? last : null;
  const question = items.findLast(({ role }) => role === 'user') ?? null;
  const { setRetrying, setEdit } = useThreadView.getState();
  useOffers({
    retryAnswer: answer && !busy && (() => actions.regenerate(answer)),
    retryAnswerOther:
      answer &&
      !busy &&
      (() => {
        getHandle('thread')?.showEnd();
        setRetrying(answer.id);
      }),
    continueAnswer: answer && !busy && isCut(answer) && (() => actions.continue(answer)),
    copyAnswer: answer && (() => actions.copy(answer, 'rich')),
    forkChat: answer && (() => actions.fork(answer)),
    editQuestion: question && !busy && (() => setEdit(question.id, question.text)),
  });
}
