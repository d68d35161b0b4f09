import type { WhatIfResult } from '#shared/contract/app/catalogue.ts';
import { count, formatMoment } from '../../../text/format.ts';
import { text } from '../../../text/models-text.ts';
import { Money } from '../../../ui/elements/money.tsx';
import { Table, tableCell } from '../../../ui/elements/table.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';

const { whatIfPage: page } = text;
const { columns } = page;

/** Shows the account's own cost, the cost of each model next to it, and how it was calculated. */
export function WhatIfResults({ result }: { result: WhatIfResult }) {
  const ownKeys = /^0(\.0*)?$/.test(result.ownKeysUsd) ? null : result.ownKeysUsd;
  return (
    <>
      <p className="text-fg-2">{page.own}</p>
      <p className="font-semibold text-3xl tabular-nums tracking-[-0.02em] wrap-anywhere">
        <Money amount={result.chargedUsd} />
      </p>
      <p className="text-fg-3 text-xs">
        {page.requests(result.requests)}
        {result.estimated > 0 && `, ${page.estimated(result.estimated)}`}
        {result.unknown > 0 && `, ${page.unknown(result.unknown)}`}
      </p>
      {ownKeys !== null && (
        <p className="mt-1 text-fg-2">
          {page.ownKeys}: <Money amount={ownKeys} />
        </p>
      )}
      {result.readSince !== null && (
        <div className="mt-2">
          <Notice tone="warn">{page.readSince(formatMoment(result.readSince))}</Notice>
        </div>
      )}
      <div className="mt-4">
        <Table
          label={page.results}
          columns={[
            { name: columns.model },
            { name: columns.cost, amount: true },
            { name: columns.actual, amount: true, wideOnly: true },
            { name: columns.more, amount: true },
            { name: columns.requests, amount: true, wideOnly: true },
            { name: columns.tooLong, amount: true, wideOnly: true },
            { name: columns.unable, amount: true, wideOnly: true },
          ]}
        >
          {result.models.map((model) => (
            <Row key={model.model} model={model} />
          ))}
        </Table>
      </div>
      <p className="mt-4 max-w-[46rem] text-fg-3 text-xs">{page.method}</p>
      <p className="mt-2 max-w-[46rem] text-fg-3 text-xs">{page.methodFit}</p>
    </>
  );
}

function Row({ model }: { model: WhatIfResult['models'][number] }) {
  const { tooLong, unable } = model;
  const lacks = unable.lacks.map((ability) => text.abilities[ability as keyof typeof text.abilities] ?? ability);
  const longer = model.contextKnown ? count(tooLong.requests) : page.unknownContext;
  const notAble = lacks.length > 0 ? page.lacks(count(unable.requests), lacks.join(', ')) : count(unable.requests);
  return (
    <tr>
      <th scope="row" className={`${tableCell} text-left font-medium`}>
        {model.name}
        {/* Notes are listed below the table, because two more columns would be out of sight in a narrow window. */}
        <dl className="whitespace-normal pb-1.5 font-normal text-fg-2 text-xs sm:hidden">
          <Exception name={columns.tooLong} value={longer} />
          <Exception name={columns.unable} value={notAble} />
        </dl>
      </th>
      <td className={`${tableCell} text-right font-medium`}>
        <Money amount={model.costUsd} />
      </td>
      <td className={`${tableCell} text-right text-fg-2 max-sm:hidden`}>
        <Money amount={model.actualUsd} />
      </td>
      <td className={`${tableCell} text-right`}>
        <Money amount={model.moreUsd} signed />
      </td>
      <td className={`${tableCell} text-right text-fg-2 max-sm:hidden`}>{count(model.requests)}</td>
      <td className={`${tableCell} text-right text-fg-2 max-sm:hidden`}>{longer}</td>
      <td className={`${tableCell} text-right text-fg-2 max-sm:hidden`}>{notAble}</td>
    </tr>
  );
}

function Exception({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex gap-1.5">
      <dt>{name}</dt>
      <dd className="tabular-nums">{value}</dd>
    </div>
  );
}
