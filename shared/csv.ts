/** What a cell holds; null: nothing is known, an empty cell. */
export type CsvCell = string | number | null;

/** A row of CSV by RFC 4180, its end of line included. */
export const csvRow = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/**
 * A spreadsheet runs what begins like a formula, and others choose the names of models and chats (OWASP, CSV injection): such
 * text begins with an apostrophe. A number, which an amount is, stays one.
 */
function csvCell(value: CsvCell): string {
  const text = String(value ?? '');
  const plain = /^[=+\-@\t\r]/.test(text) && !isNumber.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

const isNumber = /^-?\d+(\.\d+)?$/;
