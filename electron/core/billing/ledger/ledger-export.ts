import type { LedgerFormat } from '#shared/contract/app/ledger.ts';
import type { Naming } from '../../gateways/connection/model-facts.ts';
import { tablePieces } from '../../runtime/streams/table-pieces.ts';
import type { ExportedLine } from '../../worker/ledger-lines.ts';

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
const toRow = (line: ExportedLine, providerName: Naming['providerName']): Row => ({
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

/** Lines as the text of a file, a piece for each page; JSON is an array of them. Amounts are decimal strings. */
export const ledgerPieces = (
  pages: AsyncIterable<readonly ExportedLine[]>,
  format: LedgerFormat,
  providerName: Naming['providerName'],
) => tablePieces(pages, { columns, toRow: (line) => toRow(line, providerName), format, around: ['[', '\n]\n'] });
