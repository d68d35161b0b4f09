import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { AnswerView, LiveAnswers } from './answer-views.ts';

export const LiveAnswersContext = createContext<LiveAnswers | null>(null);

export function useLiveAnswers(): LiveAnswers {
  const answers = useContext(LiveAnswersContext);
  if (!answers) throw new Error('useLiveAnswers needs a LiveAnswersContext above it');
  return answers;
}

/** The view of an answer; re-renders only the row that shows it. */
export function useAnswer(message: Message): AnswerView {
  const answers = useLiveAnswers();
  const subscribe = useCallback((listener: () => void) => answers.subscribe(message, listener), [answers, message]);
  return useSyncExternalStore(subscribe, () => answers.view(message));
}
