import { csvRow } from '#shared/csv.ts';
import type { ExportedLine } from '../worker/ledger-lines.ts';

const fields = [
  ...(['id', 'created', 'type', 'amount_usd', 'balance_after_usd', 'description'] as const),
  ...(['request_id', 'provider', 'model', 'estimated'] as const),
];

export const csvHead = csvRow(fields);

export const csvLine = (line: ExportedLine): string =>
  csvRow(fields.map((field) => (line[field] === null ? null : String(line[field]))));
