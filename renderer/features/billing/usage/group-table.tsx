import type { UsageGroupId, UsageGroupSums, UsageReport } from '#shared/contract/app/usage.ts';
import { useProviderName } from '../../../api/use-provider-name.ts';
import { count, dayRange, smallShare } from '../../../text/format.ts';
import { text } from '../../../text/usage-text.ts';
import { ProviderMark } from '../../../ui/elements/provider-mark.tsx';
import { Table, tableCell } from '../../../ui/elements/table.tsx';
import { groupKey, groupName } from './group-names.ts';
import { KnownCost } from './known-cost.tsx';

interface GroupTableProps {
  report: UsageReport;
  groups: readonly UsageGroupSums[];
  /** The requests of a group; null: the gateway does not list them. */
  onOpen: ((group: UsageGroupId, title: string) => void) | null;
}

/** Usage by group, the highest cost first. */
export function GroupTable({ report: { groupBy, days, more }, groups, onOpen }: GroupTableProps) {
  const { columns } = text;
  const providerName = useProviderName();
  const counts = [columns.requests, columns.failed, columns.input, columns.cached, columns.output];
  // In a narrow window what it costs is what is wanted of a group.
  const wide = counts.slice(1);
  const amounts = [...counts, columns.cost, columns.share];
  return (
    <Table
      label={text.by(text.groups[groupBy])}
      columns={[
        { name: text.groups[groupBy] },
        ...amounts.map((name) => ({ name, amount: true, wideOnly: wide.includes(name) })),
      ]}
    >
      {groups.map((group) => {
        const { kind, id, provider, cost_usd: cost, requests, failed, input, cached, output, reasoning } = group;
        const name = kind === 'rest' ? text.more(more) : groupName(group, groupBy, providerName);
        const when = dayRange(days[0] ?? '', days.at(-1) ?? '');
        const mark = groupBy === 'provider' ? id : provider;
        const all = [requests, failed, plus(input, cached), cached, plus(output, reasoning)];
        return (
          <tr key={groupKey(group)}>
            <th scope="row" className={`${tableCell} max-w-72 text-left font-medium`}>
              <span className="flex items-center gap-2">
                {mark !== null && <ProviderMark provider={mark} />}
                {onOpen && kind !== 'rest' ? (
                  <button
                    type="button"
                    className="truncate hover:underline"
                    onClick={() => onOpen({ kind, id, provider }, text.lines.title(name, when))}
                  >
                    {name}
                  </button>
                ) : (
                  <span className="truncate">{name}</span>
                )}
              </span>
            </th>
            {all.map((value, at) => (
              <td key={counts[at]} className={`${tableCell} text-right text-fg-2 ${at > 0 ? 'max-sm:hidden' : ''}`}>
                {value === null ? '—' : count(value)}
              </td>
            ))}
            <td className={`${tableCell} text-right`}>
              <KnownCost cost={cost} unknown={group.unknown} />
            </td>
            <td className={`${tableCell} text-right text-fg-2`}>
              {group.share === null ? '—' : smallShare(group.share)}
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

const plus = (a: number | null, b: number | null) => (a === null ? null : a + (b ?? 0));
