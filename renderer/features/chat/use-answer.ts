import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { AnswerView, LiveAnswers } from './live-answers.ts';

export const LiveAnswersContext = createContext<LiveAnswers | null>(null);

export function useLiveAnswers(): LiveAnswers {
  const answers = useContext(LiveAnswersContext);
  if (!answers) throw new Error('useLiveAnswers needs a LiveAnswersContext above it');
  return answers;
}

/** What is there of an answer; only the row that shows it is drawn when it grows. */
export function useAnswer(messageId: string): AnswerView {
  const answers = useLiveAnswers();
  const subscribe = useCallback((listener: () => void) => answers.subscribe(messageId, listener), [answers, messageId]);
  return useSyncExternalStore(subscribe, () => answers.view(messageId));
}
