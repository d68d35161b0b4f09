import type { ReactNode } from 'react';
import { CompareNotices } from '../notices/compare-notices.tsx';
import { QuoteNotices, SendFailure } from '../notices/send-notices.tsx';
import type { NextMessage } from './use-next-message.ts';

interface ComposerNoticesProps {
  next: NextMessage;
  /** Why the message was not sent. */
  error: Error | null;
  onAnyway: () => void;
  onContext: () => void;
  onModel: () => void;
  /** The notice about an open choice. */
  children: ReactNode;
}

/** Notices about the next message: what prevents it, and what to know before sending. */
export function ComposerNotices({ next, error, onAnyway, onContext, onModel, children }: ComposerNoticesProps) {
  const { conversationId, model, models, compare, columns, toColumns, compareQuote, quote, attach, live, empty } = next;
  return (
    <>
      {error && <SendFailure error={error} onAnyway={onAnyway} onContext={onContext} onModel={onModel} />}
      {attach.refusals.length > 0 && (
        <div role="alert" className="measure mb-2 px-2 text-bad text-sm">
          {attach.refusals.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      )}
      {children}
      {compare.on && !error && (
        <CompareNotices
          models={models}
          value={compare.value}
          quote={live ? undefined : compareQuote}
          asked={!empty}
          onRemove={(id) => compare.change(compare.value.filter((other) => other !== id))}
        />
      )}
      {toColumns && !error && !live && !empty && (
        <CompareNotices models={models} value={columns} quote={compareQuote} asked />
      )}
      {quote && !compare.on && !toColumns && !error && !live && (
        <QuoteNotices
          quote={quote}
          conversationId={conversationId}
          model={model}
          onModel={onModel}
          onContext={onContext}
        />
      )}
    </>
  );
}
