import { createContext, useContext } from 'react';
import type { ThreadItem } from './thread-items.ts';

/** What can be done with a message. The rows get it from above, so that it is the same for all of them. */
export interface MessageActions {
  /** A further answer, by the same model or another one. */
  regenerate(entry: ThreadItem, model?: string): void;
  /** Goes on with an answer that was cut off. */
  continue(entry: ThreadItem): void;
  /** Answers a message that has no answer. */
  answer(entry: ThreadItem): void;
  /** Sends another wording; the old one stays beside it. */
  edit(entry: ThreadItem, text: string): void;
  /** The sibling before or after it. */
  step(entry: ThreadItem, by: -1 | 1): void;
  remove(entry: ThreadItem): void;
  /** Goes on with one of several answers that are compared. */
  choose(entry: ThreadItem): void;
  /** Shows the answers that this one was compared with beside it. */
  compare(entry: ThreadItem): void;
  stop(entry: ThreadItem): void;
  /** Copies Markdown, and beside it rich text for those who paste into a document. */
  copy(entry: ThreadItem, form: 'rich' | 'markdown'): void;
}

export const MessageActionsContext = createContext<MessageActions | null>(null);

export function useActions(): MessageActions {
  const actions = useContext(MessageActionsContext);
  if (!actions) throw new Error('useActions needs a MessageActionsContext above it');
  return actions;
}
