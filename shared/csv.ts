/** The content of a cell. Null, for an unknown value, is written as an empty cell. */
export type CsvCell = string | number | null;

/** Formats a row of CSV by RFC 4180, with its line end. */
export const csvRow = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/**
 * Spreadsheets execute text that begins like a formula, and models and chats are named by others (OWASP, CSV
 * injection). Such text gets a leading apostrophe. Numbers, such as amounts, stay as they are.
 */
function csvCell(value: CsvCell): string {
  const text = String(value ?? '');
  const plain = /^[=+\-@\t\r]/.test(text) && !isNumber.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

const isNumber = /^-?\d+(\.\d+)?$/;
