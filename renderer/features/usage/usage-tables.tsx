import { parseUsd } from '#shared/money.ts';
import type { UsageBucket } from '#shared/wire/usage.ts';
import { count, share, usd, utcDay } from '../../lib/format.ts';
import { ProviderMark } from '../../ui/provider-mark.tsx';
import { TableScroll, tableLook } from '../../ui/table.tsx';
import { type DayStack, shareOf } from './series.ts';
import { text } from './text.ts';

export function DayTable({ names, stacks }: { names: readonly string[]; stacks: readonly DayStack[] }) {
  return (
    <TableScroll label={text.asTable}>
      <table className={tableLook.table}>
        <thead>
          <tr>
            <th scope="col" className={tableLook.head}>
              {text.day}
            </th>
            {names.map((name) => (
              <th key={name} scope="col" className={`${tableLook.head} text-right`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {stacks.toReversed().map((stack) => (
            <tr key={stack.day}>
              <th scope="row" className={`${tableLook.cell} text-left font-normal`}>
                {utcDay(stack.day)}
              </th>
              {stack.words.map((word, at) => (
                <td key={names[at]} className={`${tableLook.cell} text-right`}>
                  {word}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  );
}

/** What each model cost, dearest first. */
export function ModelUsageTable({ buckets, total }: { buckets: readonly UsageBucket[]; total: string }) {
  const { columns } = text;
  const sorted = [...buckets].sort((a, b) => Number(parseUsd(b.cost_usd) - parseUsd(a.cost_usd)));
  return (
    <TableScroll label={text.byModel}>
      <table className={tableLook.table}>
        <thead>
          <tr>
            <th scope="col" className={tableLook.head}>
              {columns.model}
            </th>
            {[columns.requests, columns.input, columns.cached, columns.output, columns.cost, columns.share].map(
              (name) => (
                <th key={name} scope="col" className={`${tableLook.head} text-right`}>
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {sorted.map((bucket) => (
            <tr key={`${bucket.provider}/${bucket.model}`}>
              <th scope="row" className={`${tableLook.cell} text-left font-medium`}>
                <span className="flex items-center gap-2 whitespace-nowrap">
                  <ProviderMark provider={bucket.provider ?? '?'} />
                  {bucket.model ?? '—'}
                </span>
              </th>
              {[bucket.requests, bucket.prompt_tokens, bucket.cached_tokens, bucket.completion_tokens].map(
                (value, at) => (
                  <td key={Object.keys(columns)[at + 1]} className={`${tableLook.cell} text-right text-fg-2`}>
                    {count(value)}
                  </td>
                ),
              )}
              <td className={`${tableLook.cell} text-right`}>{usd(bucket.cost_usd)}</td>
              <td className={`${tableLook.cell} text-right text-fg-2`}>{share(shareOf(bucket.cost_usd, total))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  );
}
