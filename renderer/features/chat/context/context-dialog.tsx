import { useState } from 'react';
import type { ChatOptions } from '#shared/contract/chat/options.ts';
import type { Quote } from '#shared/contract/chat/quotes.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { costsText } from '../../../text/costs-text.ts';
import { describeError } from '../../../text/error-text.ts';
import { count, usdRange } from '../../../text/format.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { FailureWords } from '../../../ui/notices/remedy.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { SummariseSwitch } from '../../drafts/options/summarise-switch.tsx';
import { useOptions } from '../../drafts/options/use-options.ts';
import { Bill } from '../costs/bill.tsx';
import { useCompactQuote, useSummary, useSummaryCalls } from './use-summary.ts';

interface ContextDialogProps {
  conversationId: string;
  model: string;
  quote: Quote;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Shows how much of the chat is sent to the model, what is left out, and how to change that. */
export function ContextDialog({ open, onOpenChange, ...rest }: ContextDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={text.contextTitle} width="wide">
      {open && <Content {...rest} onDone={() => onOpenChange(false)} />}
    </Dialog>
  );
}

type ContentProps = Omit<ContextDialogProps, 'open' | 'onOpenChange'> & { onDone: () => void };

function Content({ conversationId, model, quote, onDone }: ContentProps) {
  const { limitTokens, usedTokens, notSentIds } = quote.context;
  const { query, set } = useOptions(conversationId);
  const { failed } = useNotify();
  const choose = (overflow: ChatOptions['overflow']) =>
    query.data &&
    set.mutate(
      { ...query.data, overflow },
      { onSuccess: onDone, onError: (error) => failed(text.optionsNotKept, error) },
    );
  return (
    <div className="flex flex-col gap-3 text-sm">
      <p className="text-fg-2">
        {text.contextUse(count(usedTokens), limitTokens === null ? null : count(limitTokens))}{' '}
        {notSentIds.length > 0 ? text.contextOutside(notSentIds.length) : text.contextWhole}
      </p>
      <CompactPart conversationId={conversationId} model={model} />
      <div className="flex flex-wrap gap-2">
        <Button disabled={query.data?.overflow === 'drop'} onClick={() => choose('drop')}>
          {text.dropOldest}
        </Button>
        <Button disabled={query.data?.overflow === 'stop'} onClick={() => choose('stop')}>
          {text.stopInstead}
        </Button>
      </div>
      <p className="text-fg-3 text-xs">{query.data && text.overflowNotes[query.data.overflow]}</p>
      {query.data && (
        <SummariseSwitch
          value={query.data.summarise}
          onChange={(summarise) =>
            query.data &&
            set.mutate({ ...query.data, summarise }, { onError: (error) => failed(text.optionsNotKept, error) })
          }
        />
      )}
    </div>
  );
}

function CompactPart({ conversationId, model }: { conversationId: string; model: string }) {
  const [overCaps, setOverCaps] = useState(false);
  const summary = useSummary(conversationId);
  const quote = useCompactQuote(conversationId, model, true);
  const { compact, remove } = useSummaryCalls(conversationId);
  const { failed } = useNotify();
  const failure = compact.isError ? describeError(compact.error) : null;
  return (
    <section aria-label={text.summary} className="flex flex-col gap-2 rounded-menu border border-line bg-sunken p-3">
      {summary.data && (
        <>
          <p className="font-medium">{text.summaryOf(summary.data.messages)}</p>
          <p className="max-h-40 overflow-y-auto whitespace-pre-wrap text-fg-2">{summary.data.text}</p>
          <div className="flex items-center gap-2 text-fg-3 text-xs">
            <Bill message={{ ...summary.data, requestId: null }} />
            <span className="flex-1" />
            <Button
              variant="quiet"
              onClick={() => remove.mutate(undefined, { onError: (error) => failed(text.summary, error) })}
            >
              {text.summaryRemove}
            </Button>
          </div>
        </>
      )}
      {quote.data ? (
        <>
          <p className="text-fg-2">
            {text.compactOffer(quote.data.messages)}{' '}
            {quote.data.costUsd ? text.compactCost(usdRange(quote.data.costUsd)) : costsText.quoteUnknown}
          </p>
          {failure && (
            <p role="alert" className="text-bad">
              <FailureWords failure={failure} />
            </p>
          )}
          <div className="flex gap-2">
            <Button
              variant="primary"
              disabled={compact.isPending}
              onClick={() =>
                compact.mutate(
                  { model, overCaps },
                  { onError: (error) => setOverCaps(describeError(error).code === 'cap_exceeded') },
                )
              }
            >
              {compact.isPending ? text.compacting : overCaps ? text.compactAnyway : text.compact}
            </Button>
          </div>
        </>
      ) : (
        <p className="text-fg-3">{quote.isPending ? text.compactAsking : text.compactNothing}</p>
      )}
    </section>
  );
}
