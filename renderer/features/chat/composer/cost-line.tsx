import { lazy, Suspense } from 'react';
import { useOwnKey, usePayer } from '../../../api/use-core.ts';
import { costsText as text } from '../../../text/costs-text.ts';
import { text as shellText } from '../../../text/shell-text.ts';
import { billingAccountName } from '../../../ui/elements/billing-account-name.ts';
import { ContextMeter, QuoteLine } from '../costs/quote-line.tsx';
import type { NextMessage } from './use-next-message.ts';

const CompareQuoteLine = lazy(() =>
  import('../compare/draft/compare-quote-line.tsx').then((file) => ({ default: file.CompareQuoteLine })),
);

/** The next message’s cost and payer, and how full the context is. */
export function CostLine({ next, onContext }: { next: NextMessage; onContext: () => void }) {
  const { model, compare, toColumns, compareQuote, live, empty } = next;
  const billingAccount = usePayer(model);
  const ownKey = useOwnKey(model);
  const bearer = ownKey === null ? billingAccount && billingAccountName(billingAccount) : shellText.ownKeyLabel(ownKey);
  const payer = billingAccount && (billingAccount.simulated ? text.testCredits : text.paidBy(bearer ?? ''));
  if (toColumns || compare.on) {
    const worth = toColumns ? !empty : compare.value.length > 1;
    return <Suspense>{compareQuote && worth && <CompareQuoteLine quote={compareQuote} />}</Suspense>;
  }
  const quote = live ? undefined : next.quote;
  return (
    <span className="flex min-w-0 items-center gap-3">
      {quote && <ContextMeter quote={quote} onOpen={onContext} />}
      {quote && !empty ? <QuoteLine quote={quote} payer={payer ?? null} /> : <span className="truncate">{payer}</span>}
    </span>
  );
}
