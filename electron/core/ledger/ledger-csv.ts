import type { ExportedLine } from '../worker/ledger-lines.ts';

const fields = [
  ...(['id', 'created', 'type', 'amount_usd', 'balance_after_usd', 'description'] as const),
  ...(['request_id', 'provider', 'model', 'estimated'] as const),
];

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** A spreadsheet runs what begins like a formula, and others choose names (OWASP, CSV injection). Amounts are numbers. */
const plain = (cell: string): string => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);

/** CSV by RFC 4180. */
export const csvHead = `${fields.join(',')}\r\n`;

export const csvLine = (line: ExportedLine): string =>
  `${fields
    .map((field) => {
      const cell = String(line[field] ?? '');
      return quoted(field === 'amount_usd' || field === 'balance_after_usd' ? cell : plain(cell));
    })
    .join(',')}\r\n`;
