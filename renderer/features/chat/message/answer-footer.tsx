import type { ReactNode } from 'react';
import { costsText as text } from '../../../text/costs-text.ts';
import { Bill } from '../costs/bill.tsx';
import { RouterCard } from '../routing/router-card.tsx';
import { getHead, type ThreadItem } from '../state/thread-items.ts';

interface AnswerFooterProps {
  message: ThreadItem;
  actions: ReactNode;
}

/** Actions, usage and cost. Its space is reserved from the start, so that nothing moves at the end. */
export function AnswerFooter({ message, actions }: AnswerFooterProps) {
  if (message.status === 'streaming') return <div className="h-8" />;
  return (
    <footer className="-ml-2 flex min-h-8 flex-wrap items-center gap-x-1 text-fg-3 text-xs tabular-nums">
      {actions}
      <Facts message={message} />
    </footer>
  );
}

function Facts({ message }: { message: ThreadItem }) {
  const { usage, routeReason, requestId, conversationId } = message;
  const routed = routeReason !== null || (message.model === 'router' && requestId !== null);
  const speed = getSpeed(message);
  return (
    <span className="ml-1 flex flex-wrap items-center gap-x-1.5 py-1">
      {usage && <span>{text.tokens(usage.promptTokens + usage.completionTokens)}</span>}
      {speed !== null && <Dotted>{text.speed(speed)}</Dotted>}
      <Dotted first={!usage}>
        <Bill message={message} />
      </Dotted>
      {routed && (
        <Dotted>
          <RouterCard conversationId={conversationId} messageId={getHead(message)} />
        </Dotted>
      )}
    </span>
  );
}

function Dotted({ children, first = false }: { children: ReactNode; first?: boolean }) {
  return (
    <span className="flex items-center gap-x-1.5">
      {!first && <span aria-hidden>·</span>}
      {children}
    </span>
  );
}

/**
 * Returns the output tokens per second from the first token to the last; null if they can't be computed. A stopped
 * answer has no known end, and the time of an answer in several parts includes the pauses between them.
 */
export function getSpeed({
  status,
  parts,
  usage,
  firstTokenAt,
  finishedAt,
  toolCalls,
}: Pick<ThreadItem, 'status' | 'parts' | 'usage' | 'firstTokenAt' | 'finishedAt' | 'toolCalls'>): number | null {
  if (status !== 'done' || parts.length > 1) return null;
  // The time includes running the tools and waiting for the user's approval.
  if (toolCalls.length > 0) return null;
  if (!usage || firstTokenAt === null || finishedAt === null) return null;
  const seconds = (finishedAt - firstTokenAt) / 1000;
  return seconds >= 0.2 ? Math.round(usage.completionTokens / seconds) : null;
}
