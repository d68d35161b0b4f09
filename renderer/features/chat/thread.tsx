import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { Message } from '#shared/contract/conversations.ts';
import { useNav } from '../../lib/nav.ts';
import { Answer } from './answer.tsx';
import { OutsideMark } from './outside-mark.tsx';
import { OwnMessage } from './own-message.tsx';
import { text } from './text.ts';
import { useFollowing } from './use-following.ts';

interface ThreadProps {
  messages: readonly Message[];
  /** An answer is being written. */
  busy: boolean;
  onRegenerate: (answerId: string) => void;
}

/** The messages; only those near the window are in it. */
export function Thread({ messages, busy, onRegenerate }: ThreadProps) {
  'use no memo';
  const scroller = useRef<HTMLDivElement>(null);
  const [following, follow] = useFollowing(scroller);
  const rows = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (messages[at]?.role === 'user' ? 110 : 420),
    getItemKey: (at) => messages[at]?.id ?? at,
    overscan: 4,
    paddingStart: 12,
    paddingEnd: 20,
    anchorTo: 'end',
    followOnAppend: following,
    scrollEndThreshold: following ? 48 : -1,
  });
  const lastOwn = messages.findLast((message) => message.role === 'user')?.id;

  // Opening a conversation and sending into it both show its end.
  useLayoutEffect(() => {
    if (lastOwn !== undefined) rows.scrollToEnd();
  }, [lastOwn, rows]);

  // Somebody asked for this very message: a search, or a place found in this chat.
  const wanted = useNav((nav) => (nav.loc.page === 'chat' ? nav.loc.messageId : undefined));
  const at = wanted === undefined ? -1 : messages.findIndex((message) => message.id === wanted);
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at, { align: 'start' });
  }, [at, rows]);

  const toLatest = () => {
    follow();
    rows.scrollToEnd();
  };
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-label={text.thread}
        aria-live="off"
        aria-busy={busy}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so by keyboard
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain px-[18px] [overflow-anchor:none] focus-visible:outline-offset-[-2px]"
      >
        <div className="measure relative max-w-[43rem]" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((row) => {
            const message = messages[row.index];
            if (!message) return null;
            return (
              <div
                key={row.key}
                data-index={row.index}
                data-message={message.id}
                ref={rows.measureElement}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${row.start}px)` }}
              >
                <OutsideMark messageId={message.id}>
                  {message.role === 'user' ? (
                    <OwnMessage message={message} />
                  ) : (
                    <Answer message={message} busy={busy} onRegenerate={onRegenerate} />
                  )}
                </OutsideMark>
              </div>
            );
          })}
        </div>
      </div>
      {!following && <LatestPill writing={busy} onClick={toLatest} />}
    </div>
  );
}

function LatestPill({ writing, onClick }: { writing: boolean; onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="arrive -translate-x-1/2 absolute bottom-3 left-1/2 flex h-8 items-center gap-1.5 rounded-full border border-line bg-raised px-3 font-medium text-sm shadow-float hover:bg-bubble"
    >
      <ArrowDown size={14} aria-hidden />
      {writing ? text.follow : text.latest}
    </button>
  );
}
