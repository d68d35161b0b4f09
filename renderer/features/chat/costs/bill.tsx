import type { Message } from '#shared/contract/chat/conversations.ts';
import { costsText as text } from '../../../text/costs-text.ts';
import { usd, utcDay } from '../../../text/format.ts';
import { Popover } from '../../../ui/dialogs/popover.tsx';
import { Amounts } from '../../../ui/elements/amounts.tsx';
import { Money } from '../../../ui/elements/money.tsx';
import { billNote } from './bill-note.ts';

type Billed = Pick<Message, 'costUsd' | 'costSource' | 'bill' | 'requestId' | 'simulated'> & {
  /** The requests of an answer with tool calls. */
  readonly parts?: readonly Message[];
};

/**
 * Shows the exact cost of an answer, its source, and the lines that add up to it. An unknown cost is never shown as $0.
 */
export function Bill({ message }: { message: Billed }) {
  const { costUsd, bill } = message;
  const source = costUsd === null ? 'unknown' : message.costSource;
  const known = costUsd !== null && source !== 'unknown' && source !== 'uncharged';
  const isEstimate = source === 'estimated';
  return (
    <Popover
      title={text.billTitle}
      trigger={
        <button type="button" className="flex items-center gap-1.5 rounded-tag hover:text-fg">
          {known && (
            <span className="text-fg-2">
              {isEstimate && `${text.about} `}
              <Money amount={costUsd} />
            </span>
          )}
          <span className="rounded-tag border border-line px-1 text-2xs">
            {bill?.upTo ? text.mayBeUpTo(usd(bill.upTo)) : text.sources[source]}
          </span>
        </button>
      }
    >
      <p className="mb-2 text-fg-2 text-xs">{text.sourceNotes[source]}</p>
      {bill?.upTo && <p className="mb-2 text-fg-2 text-xs">{text.upToNote(usd(bill.upTo))}</p>}
      {known && bill && (
        <Amounts
          label={text.billTitle}
          lines={[
            ...bill.lines.map(({ kind, tokens, usd: amount }) => ({
              name: text.billKinds[kind],
              ...billNote(kind, tokens),
              amount: usd(amount),
            })),
            { name: text.billSum, amount: usd(costUsd), strong: true },
          ]}
        />
      )}
      {known && bill?.price?.asOf && (
        <p className="mt-2 text-fg-2 text-xs">
          {(bill.price.entered ? text.priceEntered : text.priceListed)(utcDay(bill.price.asOf))}
        </p>
      )}
      {known && !bill && <p className="text-fg-2 text-xs">{text.billNoParts}</p>}
      {message.parts && message.parts.length > 1 && <Requests parts={message.parts} />}
      {message.simulated && <p className="mt-2 text-fg-2 text-xs">{text.testCredits}</p>}
      {message.requestId && (message.parts?.length ?? 1) === 1 && (
        <p className="mt-2 font-mono text-2xs text-fg-3 wrap-anywhere">{message.requestId}</p>
      )}
    </Popover>
  );
}

/** Lists each request of an answer with tool calls, with its cost. */
function Requests({ parts }: { parts: readonly Message[] }) {
  const lines = parts.map(({ costUsd, costSource, requestId, toolCalls }, index) => ({
    name: text.billRequest(index + 1, toolCalls.length),
    note:
      requestId === null && costSource === 'uncharged'
        ? text.billNotSent
        : text.sources[costUsd === null ? 'unknown' : costSource],
    amount: costUsd === null ? '' : usd(costUsd),
  }));
  return (
    <div className="mt-3">
      <p className="mb-1 font-medium text-xs">{text.billRequests}</p>
      <Amounts label={text.billRequests} lines={lines} />
      <p className="mt-1 font-mono text-2xs text-fg-3 wrap-anywhere">
        {parts.flatMap(({ requestId }) => requestId ?? []).join(' ')}
      </p>
    </div>
  );
}
