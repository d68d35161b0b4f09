import { createContext, useContext } from 'react';
import type { Entry } from './entries.ts';

/** What can be done with a message. The rows get it from above, so that it is the same for all of them. */
export interface MessageActions {
  /** A further answer, by the same model or another one. */
  regenerate(entry: Entry, model?: string): void;
  /** Goes on with an answer that was cut off. */
  continue(entry: Entry): void;
  /** Answers a message that has no answer. */
  answer(entry: Entry): void;
  /** Sends another wording; the old one stays beside it. */
  edit(entry: Entry, text: string): void;
  /** The sibling before or after it. */
  step(entry: Entry, by: -1 | 1): void;
  remove(entry: Entry): void;
  /** Goes on with one of several answers that are compared. */
  choose(entry: Entry): void;
  /** Shows the answers that this one was compared with beside it. */
  compare(entry: Entry): void;
  stop(entry: Entry): void;
  /** Copies Markdown, and beside it rich text for those who paste into a document. */
  copy(entry: Entry, form: 'rich' | 'markdown'): void;
}

export const MessageActionsContext = createContext<MessageActions | null>(null);

export function useActions(): MessageActions {
  const actions = useContext(MessageActionsContext);
  if (!actions) throw new Error('useActions needs a MessageActionsContext above it');
  return actions;
}
