import { usePriceHistory } from '../../api/use-catalogue.ts';
import { usdPerMillion } from '../../text/format.ts';
import { text } from '../../text/models-text.ts';
import { Table, tableCell } from '../../ui/elements/table.tsx';
import { Skeleton } from '../../ui/notices/skeleton.tsx';
import { isoDay } from './price-facts.tsx';
import { PriceSteps } from './price-steps.tsx';

const { details } = text;

/** How a model’s price changed and will change, as a step chart over time with a table of its data. */
export function PriceHistory({ model }: { model: string }) {
  const history = usePriceHistory(model);
  const today = new Date().toISOString().slice(0, 10);
  return (
    <>
      <h3 className="mt-6 mb-1 font-semibold text-sm">{details.history}</h3>
      {history.isPending && <Skeleton className="h-20 w-full" />}
      {history.isError && <p className="text-fg-2">{details.historyFailed}</p>}
      {history.data?.length === 0 && <p className="text-fg-2">{details.historyNotReported}</p>}
      {history.data?.length === 1 && <p className="text-fg-2">{details.historyOne}</p>}
      {history.data && history.data.length > 1 && (
        <>
          <PriceSteps rows={history.data} today={today} />
          <Table
            label={details.history}
            columns={[
              { name: details.historyFrom },
              { name: details.input, amount: true },
              { name: details.completion, amount: true },
            ]}
          >
            {history.data.toReversed().map(({ from, pricing }) => (
              <tr key={from}>
                <th scope="row" className={`${tableCell} text-left font-normal`}>
                  {from === null ? details.historyBefore : isoDay(from)}
                  {from !== null && from > today && (
                    <span className="ml-1.5 text-fg-3 text-xs">{details.upcoming}</span>
                  )}
                </th>
                <td className={`${tableCell} text-right`}>{pricing ? usdPerMillion(pricing.prompt) : '—'}</td>
                <td className={`${tableCell} text-right`}>{pricing ? usdPerMillion(pricing.completion) : '—'}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </>
  );
}
