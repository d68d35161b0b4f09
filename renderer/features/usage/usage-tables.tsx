import { count, share, utcDay } from '../../text/format.ts';
import { text } from '../../text/usage-text.ts';
import { Money } from '../../ui/elements/money.tsx';
import { ProviderMark } from '../../ui/elements/provider-mark.tsx';
import { Table, tableCell } from '../../ui/elements/table.tsx';
import type { Bucket, DayStack } from './series.ts';

export function DayTable({ names, stacks }: { names: readonly string[]; stacks: readonly DayStack[] }) {
  return (
    <Table label={text.asTable} columns={[{ name: text.day }, ...names.map((name) => ({ name, amount: true }))]}>
      {stacks.toReversed().map((stack) => (
        <tr key={stack.day}>
          <th scope="row" className={`${tableCell} text-left font-normal`}>
            {utcDay(stack.day)}
          </th>
          {stack.words.map((word, at) => (
            <td key={names[at]} className={`${tableCell} text-right`}>
              {word}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

/** Cost by model, highest first. */
export function ModelUsageTable({ buckets }: { buckets: readonly Bucket[] }) {
  const { columns } = text;
  const amounts = [columns.requests, columns.input, columns.cached, columns.output, columns.cost, columns.share];
  return (
    <Table label={text.byModel} columns={[{ name: columns.model }, ...amounts.map((name) => ({ name, amount: true }))]}>
      {buckets.map((bucket) => (
        <tr key={`${bucket.provider}/${bucket.model}`}>
          <th scope="row" className={`${tableCell} text-left font-medium`}>
            <span className="flex items-center gap-2 whitespace-nowrap">
              <ProviderMark provider={bucket.provider ?? '?'} />
              {bucket.name ?? '—'}
            </span>
          </th>
          {[bucket.requests, bucket.prompt_tokens, bucket.cached_tokens, bucket.completion_tokens].map((value, at) => (
            <td key={Object.keys(columns)[at + 1]} className={`${tableCell} text-right text-fg-2`}>
              {count(value)}
            </td>
          ))}
          <td className={`${tableCell} text-right`}>
            <Money amount={bucket.cost_usd} />
          </td>
          <td className={`${tableCell} text-right text-fg-2`}>{share(bucket.share)}</td>
        </tr>
      ))}
    </Table>
  );
}
