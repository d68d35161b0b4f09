import { count, share, utcDay } from '../../text/format.ts';
import { text } from '../../text/usage-text.ts';
import { Money } from '../../ui/elements/money.tsx';
import { ProviderMark } from '../../ui/elements/provider-mark.tsx';
import { providerName } from '../../ui/elements/provider-name.ts';
import { Table, tableCell } from '../../ui/elements/table.tsx';
import type { Bucket, DayStack, Grouping } from './series.ts';

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

/** What a bucket of this grouping is called. */
export function bucketName(bucket: Bucket, groupBy: Grouping): string {
  switch (groupBy) {
    case 'provider':
      return providerName(bucket.provider ?? '?');
    case 'status':
      return text.statuses[bucket.status ?? ''] ?? bucket.status ?? '—';
    default:
      return bucket.name ?? '—';
  }
}

/** Usage by group, the highest cost first. */
export function GroupTable({ groupBy, buckets }: { groupBy: Grouping; buckets: readonly Bucket[] }) {
  const { columns, groups } = text;
  const counts = [columns.requests, columns.failed, columns.input, columns.cached, columns.output];
  const amounts = [...counts, columns.cost, columns.share];
  return (
    <Table
      label={text.by(groups[groupBy])}
      columns={[{ name: groups[groupBy] }, ...amounts.map((name) => ({ name, amount: true }))]}
    >
      {buckets.map((bucket) => (
        <tr key={`${bucket.provider}/${bucket.model}/${bucket.key}/${bucket.status}`}>
          <th scope="row" className={`${tableCell} text-left font-medium`}>
            <span className="flex items-center gap-2 whitespace-nowrap">
              {bucket.provider !== null && <ProviderMark provider={bucket.provider} />}
              {bucketName(bucket, groupBy)}
            </span>
          </th>
          {[bucket.requests, bucket.failed, bucket.prompt_tokens, bucket.cached_tokens, bucket.completion_tokens].map(
            (value, at) => (
              <td key={counts[at]} className={`${tableCell} text-right text-fg-2`}>
                {value === null ? '—' : count(value)}
              </td>
            ),
          )}
          <td className={`${tableCell} text-right`}>
            <Money amount={bucket.cost_usd} />
          </td>
          <td className={`${tableCell} text-right text-fg-2`}>{bucket.share === null ? '—' : share(bucket.share)}</td>
        </tr>
      ))}
    </Table>
  );
}
