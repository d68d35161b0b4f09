import { createContext, useContext } from 'react';
import type { ThreadItem } from './thread-items.ts';

/** Actions on messages, provided by context and the same for all rows. */
export interface MessageActions {
  /** Asks for another answer, from the same model or another one. */
  regenerate(item: ThreadItem, model?: string): void;
  /** Continues an answer that was cut off. */
  continue(item: ThreadItem): void;
  /** Answers a message that has no answer. */
  answer(item: ThreadItem): void;
  /** Sends an edited version; the old version can still be shown. */
  edit(item: ThreadItem, text: string): void;
  /** Shows the previous or the next version. */
  step(item: ThreadItem, by: -1 | 1): void;
  remove(item: ThreadItem): void;
  /** Goes on in a new chat with a copy of everything up to this message. */
  fork(item: ThreadItem): void;
  /** Continues with one answer of a comparison. */
  choose(item: ThreadItem): void;
  /** Shows the comparison that this answer came from. */
  compare(item: ThreadItem): void;
  stop(item: ThreadItem): void;
  /** Copies the text as Markdown; `rich` adds formatted text for pasting into documents. */
  copy(item: ThreadItem, form: 'rich' | 'markdown'): void;
}

export const MessageActionsContext = createContext<MessageActions | null>(null);

export function useActions(): MessageActions {
  const actions = useContext(MessageActionsContext);
  if (!actions) throw new Error('useActions needs a MessageActionsContext above it');
  return actions;
}
