import type { LedgerFormat } from '#shared/contract/app/ledger.ts';
import { csvRow } from '#shared/csv.ts';
import type { Naming } from '../connection/model-facts.ts';
import type { ExportedLine } from '../worker/ledger-lines.ts';

/** The columns of an exported line, in their order. */
const columns = [
  'id',
  'created',
  'type',
  'amount_usd',
  'balance_after_usd',
  'description',
  'request_id',
  'provider',
  'provider_name',
  'model',
  'estimated',
] as const;

type Row = Readonly<Record<(typeof columns)[number], string | boolean | null>>;

/** By its columns: rows of JSON have the same order. */
const rowOf = (line: ExportedLine, providerName: Naming['providerName']): Row => ({
  id: line.id,
  created: line.created,
  type: line.type,
  amount_usd: line.amount_usd,
  balance_after_usd: line.balance_after_usd,
  description: line.description,
  request_id: line.request_id,
  provider: line.provider,
  provider_name: line.provider && providerName(line.provider),
  model: line.model,
  estimated: line.estimated,
});

const csvLine = (row: Row): string =>
  csvRow(columns.map((column) => (row[column] === null ? null : String(row[column]))));

/** Lines as the text of a file, a piece for each page: CSV by RFC 4180, or an array of JSON. Amounts are decimal strings in both. */
export async function* ledgerPieces(
  pages: AsyncIterable<readonly ExportedLine[]>,
  format: LedgerFormat,
  providerName: Naming['providerName'],
): AsyncGenerator<{ readonly text: string }, void> {
  yield { text: format === 'csv' ? csvRow(columns) : '[' };
  let isFirst = true;
  for await (const lines of pages) {
    if (lines.length === 0) continue;
    const rows = lines.map((line) => rowOf(line, providerName));
    if (format === 'csv') yield { text: rows.map(csvLine).join('') };
    else yield { text: `${isFirst ? '' : ','}${rows.map((row) => `\n${JSON.stringify(row)}`).join(',')}` };
    isFirst = false;
  }
  if (format === 'json') yield { text: '\n]\n' };
}
