import type { Message } from '#shared/contract/conversations.ts';
import { usd } from '../../lib/format.ts';
import { Amounts } from '../../ui/amounts.tsx';
import { Popover } from '../../ui/popover.tsx';
import { text } from './text.ts';

type Billed = Pick<Message, 'costUsd' | 'costSource' | 'bill' | 'requestId' | 'simulated'>;

/** The exact amount, where it comes from, and its parts, which add up to it. What is not known is not $0. */
export function Bill({ message }: { message: Billed }) {
  const { costUsd, bill } = message;
  const source = costUsd === null ? 'unknown' : message.costSource;
  const known = costUsd !== null && source !== 'unknown';
  return (
    <Popover
      title={text.billTitle}
      trigger={
        <button type="button" className="flex items-center gap-1.5 rounded-tag hover:text-fg">
          {known && <span className="text-fg-2">{usd(costUsd)}</span>}
          <span className="rounded-tag border border-line px-1 text-2xs">{text.sources[source]}</span>
        </button>
      }
    >
      <p className="mb-2 text-fg-2 text-xs">{text.sourceNotes[source]}</p>
      {known && bill && (
        <Amounts
          label={text.billTitle}
          lines={[
            ...bill.lines.map(({ kind, tokens, usd: amount }) => ({
              name: text.billKinds[kind],
              ...(tokens === null ? {} : { note: text.tokens(tokens) }),
              amount: usd(amount),
            })),
            { name: text.billSum, amount: usd(costUsd), strong: true },
          ]}
        />
      )}
      {known && !bill && <p className="text-fg-2 text-xs">{text.billNoParts}</p>}
      {message.simulated && <p className="mt-2 text-fg-2 text-xs">{text.testCredits}</p>}
      {message.requestId && <p className="mt-2 font-mono text-2xs text-fg-3 wrap-anywhere">{message.requestId}</p>}
    </Popover>
  );
}
