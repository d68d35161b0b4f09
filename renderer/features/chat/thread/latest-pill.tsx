import { ArrowDown } from 'lucide-react';
import { text } from '../../../text/chat-text.ts';

interface LatestPillProps {
  /** An answer is being written. */
  writing: boolean;
  /** Messages added since the reader left the end. */
  unseen: number;
  onClick: () => void;
}

/** Scrolls back to the end. */
export function LatestPill({ writing, unseen, onClick }: LatestPillProps) {
  const label = writing ? text.follow : text.latest;
  return (
    <button
      type="button"
      onClick={onClick}
      className="arrive -translate-x-1/2 absolute bottom-3 left-1/2 flex h-8 items-center gap-1.5 rounded-full border border-line bg-raised px-3 font-medium text-sm tabular-nums shadow-float hover:bg-bubble"
    >
      <ArrowDown size={14} aria-hidden />
      {label}
      {unseen > 0 && <span className="text-fg-2">· {text.newMessages(unseen)}</span>}
    </button>
  );
}
