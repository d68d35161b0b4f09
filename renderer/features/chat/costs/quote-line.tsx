import type { Quote } from '#shared/contract/chat/quotes.ts';
import { costsText as text } from '../../../text/costs-text.ts';
import { count, roundUsd, tokens, usd, utcDay } from '../../../text/format.ts';
import { Popover } from '../../../ui/dialogs/popover.tsx';
import { Amounts } from '../../../ui/elements/amounts.tsx';
import { billNote } from './bill-note.ts';

/** Shows the expected cost of the next message and its upper bound, never a single number that looks exact. */
export function QuoteLine({ quote, payer }: { quote: Quote; payer: string | null }) {
  const { costUsd, promptTokens, cachedTokens } = quote;
  const { expected } = quote;
  const cost = costUsd ? aboutUsd(expected?.usd ?? null, costUsd.high, quote.openEnded) : text.quoteUnknown;
  return (
    <Popover
      title={text.quoteTitle}
      trigger={
        <button type="button" className="min-w-0 truncate rounded-tag tabular-nums hover:text-fg">
          {cost}
          <span className="max-sm:sr-only">
            , {text.quoteTokens(count(promptTokens.estimate), cachedTokens ? count(cachedTokens) : null)}
          </span>
        </button>
      }
    >
      <p className="mb-2 text-fg-2 text-xs">
        {quote.source === 'gateway' ? text.quoteByGateway : text.quoteByEstimate}
      </p>
      <Amounts
        label={text.quoteTitle}
        lines={[
          ...(expected ? [{ name: text.quoteExpected, amount: usd(expected.usd), strong: true }] : []),
          { name: text.quoteLow, amount: costUsd ? usd(costUsd.low) : text.unknownPrice },
          ...quote.parts.map(({ kind, tokens: amount, usd: cost }) => ({
            name: text.upTo(text.billKinds[kind]),
            ...billNote(kind, amount),
            amount: usd(cost),
          })),
          {
            name: quote.openEnded ? text.quoteUsually : text.quoteHigh,
            amount: costUsd ? usd(costUsd.high) : text.unknownPrice,
            strong: true,
          },
        ]}
      />
      <ul className="mt-2 list-disc space-y-1 pl-4 text-fg-2 text-xs">
        {expected && (
          <li>
            {text.quoteRests(expected.answers.here, expected.answers.elsewhere, expected.completionTokens)}{' '}
            {text.quoteNear(expected.near, expected.answers.here + expected.answers.elsewhere)}
          </li>
        )}
        <li>{text.quoteBand(count(promptTokens.low), count(promptTokens.high))}</li>
        {quote.openEnded && <li>{text.quoteOpen(count(quote.completionTokens.high))}</li>}
        {cachedTokens > 0 && <li>{text.quoteCached(count(cachedTokens))}</li>}
        {!costUsd && <li>{text.quoteNoPrice}</li>}
        {quote.byok && <li>{text.quoteByok}</li>}
        {quote.pricesAsOf && (
          <li>
            {(quote.pricesEntered ? text.pricesEntered : text.pricesAsOf)(quote.modelName, utcDay(quote.pricesAsOf))}
          </li>
        )}
        {payer && <li>{payer}</li>}
      </ul>
    </Popover>
  );
}

/**
 * Rounds the expected cost and its upper bound to two digits: more would suggest a precision that an estimate doesn't
 * have.
 */
export const aboutUsd = (expected: string | null, upperBound: string, open: boolean): string =>
  text.quoteAbout(
    expected === null ? null : roundUsd(expected, { digits: 2 }),
    roundUsd(upperBound, { digits: 2, towards: 'up' }),
    open,
  );

/** How full the model's context is. */
export function ContextMeter({ quote, onOpen }: { quote: Quote; onOpen: () => void }) {
  const { limitTokens, usedTokens, notSentIds } = quote.context;
  if (limitTokens === null) return null;
  const share = Math.min(1, usedTokens / limitTokens);
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex shrink-0 items-center gap-1.5 rounded-tag tabular-nums hover:text-fg"
    >
      <svg viewBox="0 0 16 16" className="size-3.5 -rotate-90" aria-hidden>
        <circle cx="8" cy="8" r="6" fill="none" strokeWidth="3" className="stroke-active" />
        <circle
          cx="8"
          cy="8"
          r="6"
          fill="none"
          strokeWidth="3"
          pathLength="1"
          strokeDasharray={`${share} 1`}
          className={share > 0.8 ? 'stroke-warn' : 'stroke-fg-3'}
        />
      </svg>
      <span>
        <span className="max-sm:sr-only">{text.context} </span>
        {text.contextOf(tokens(usedTokens), tokens(limitTokens))}
      </span>
      {notSentIds.length > 0 && <span className="text-warn">{text.outside(notSentIds.length)}</span>}
    </button>
  );
}
