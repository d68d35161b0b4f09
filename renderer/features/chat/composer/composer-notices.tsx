import type { ReactNode } from 'react';
import { lazyView } from '../../../page/lazy-view.tsx';
import { ViewBoundary } from '../../../page/view-boundary.tsx';
import { composerText as text } from '../../../text/composer-text.ts';
import { RefusedFiles } from '../../drafts/attachments/refused-files.tsx';
import type { NextMessage } from './use-next-message.ts';

const sendNotices = () => import('../notices/send-notices.tsx');
const SendFailure = lazyView(() => sendNotices().then((file) => file.SendFailure));
const QuoteNotices = lazyView(() => sendNotices().then((file) => file.QuoteNotices));
const CompareNotices = lazyView(() => import('../notices/compare-notices.tsx').then((file) => file.CompareNotices));

/** Loads the code of the notices in advance: the problem to report may be that nothing can be loaded. */
export const loadNotices = () => Promise.all([SendFailure, QuoteNotices, CompareNotices].map(({ load }) => load()));

interface ComposerNoticesProps {
  next: NextMessage;
  /** Why the message was not sent. */
  error: Error | null;
  onAnyway: () => void;
  onContext: () => void;
  onModel: () => void;
  /** Called when the user dismisses the list of refused files. */
  onDismiss: () => void;
  /** The notice that asks the user to choose a column. */
  children: ReactNode;
}

/** Notices about the next message: what prevents it, and what to know before sending. */
export function ComposerNotices({
  next,
  error,
  onAnyway,
  onContext,
  onModel,
  onDismiss,
  children,
}: ComposerNoticesProps) {
  const { key, conversationId, model, models, compare, columns, toColumns, compareQuote, quote, attach, live, empty } =
    next;
  return (
    <>
      {error && (
        <ViewBoundary name={text.notices}>
          <SendFailure error={error} onAnyway={onAnyway} onContext={onContext} onModel={onModel} />
        </ViewBoundary>
      )}
      {attach.refusals.length > 0 && (
        <div className="measure mb-2">
          <RefusedFiles refusals={attach.refusals} onDismiss={onDismiss} />
        </div>
      )}
      {children}
      <ViewBoundary name={text.notices}>
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
            chat={key}
            conversationId={conversationId}
            model={model}
            onModel={onModel}
            onContext={onContext}
          />
        )}
      </ViewBoundary>
    </>
  );
}
