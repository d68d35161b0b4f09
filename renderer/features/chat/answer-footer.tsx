import { Check, ChevronLeft, ChevronRight, Copy, RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Message } from '#shared/contract/conversations.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useCopy } from '../../ui/use-copy.ts';
import { Bill } from './bill.tsx';
import { text } from './text.ts';

interface AnswerFooterProps {
  message: Message;
  onRegenerate: () => void;
  /** An answer runs in this conversation: nothing new may be asked. */
  busy: boolean;
}

/** What was used and paid, and what can be done. Its space is there from the start, so that nothing jerks at the end. */
export function AnswerFooter({ message, onRegenerate, busy }: AnswerFooterProps) {
  const [copied, copy] = useCopy();
  if (message.status === 'streaming') return <div className="h-8" />;
  return (
    <footer className="-ml-2 flex min-h-8 flex-wrap items-center gap-x-1 text-fg-3 text-xs tabular-nums">
      <IconButton
        icon={copied ? Check : Copy}
        size="sm"
        label={copied ? text.copied : text.copyAnswer}
        onClick={() => void copy(message.text)}
      />
      <IconButton icon={RotateCcw} size="sm" label={text.regenerate} disabled={busy} onClick={onRegenerate} />
      {message.sibling.count > 1 && <Versions sibling={message.sibling} />}
      <Facts message={message} />
    </footer>
  );
}

function Facts({ message }: { message: Message }) {
  const { usage, routeReason } = message;
  const speed = speedOf(message);
  return (
    <span className="ml-1 flex flex-wrap items-center gap-x-1.5 py-1">
      {usage && <span>{text.tokens(usage.promptTokens + usage.completionTokens)}</span>}
      {speed !== null && <Dotted>{text.speed(speed)}</Dotted>}
      <Dotted first={!usage}>
        <Bill message={message} />
      </Dotted>
      {routeReason && <Dotted>{text.route(routeReason)}</Dotted>}
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

function Versions({ sibling }: { sibling: Message['sibling'] }) {
  return (
    <span className="flex items-center">
      <span className="sr-only">{text.version(sibling.index, sibling.count)}</span>
      <ChevronLeft size={14} className="opacity-40" aria-hidden />
      <span aria-hidden>
        {sibling.index} / {sibling.count}
      </span>
      <ChevronRight size={14} className="opacity-40" aria-hidden />
    </span>
  );
}

/** Output tokens per second from the first token to the last; null where the clock says nothing. */
function speedOf({ usage, firstTokenAt, finishedAt }: Message): number | null {
  if (!usage || firstTokenAt === null || finishedAt === null) return null;
  const seconds = (finishedAt - firstTokenAt) / 1000;
  return seconds >= 0.2 ? Math.round(usage.completionTokens / seconds) : null;
}
