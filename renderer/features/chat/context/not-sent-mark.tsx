import { createContext, type ReactNode, useContext } from 'react';
import { text } from '../../../text/chat-text.ts';

/** Ids of the messages that are not sent with the next one, because they don't fit or a summary replaces them. */
export const NotSentContext = createContext<ReadonlySet<string>>(new Set());

/** Dims a message that is not sent with the next one, and labels it. Its text stays readable. */
export function NotSentMark({ messageId, children }: { messageId: string; children: ReactNode }) {
  const outside = useContext(NotSentContext).has(messageId);
  if (!outside) return children;
  return (
    <div className="border-line border-l-2 border-dashed pl-3 [--fg:var(--fg-2)]">
      <p className="pt-2 text-2xs text-fg-3">{text.notSent}</p>
      {children}
    </div>
  );
}
