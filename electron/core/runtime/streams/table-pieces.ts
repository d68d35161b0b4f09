import { csvRow } from '#shared/csv.ts';

type Cell = string | number | boolean | null;

interface Table<Line, Column extends string> {
  /** The columns in their order in the file. */
  readonly columns: readonly Column[];
  readonly toRow: (line: Line) => Readonly<Record<Column, Cell>>;
  readonly format: 'csv' | 'json';
  /**
   * The JSON text around the rows. `before` ends with the bracket that opens their array, and `after` begins with the
   * one that closes it.
   */
  readonly around: readonly [before: string, after: string];
}

interface Piece {
  readonly text: string;
  /** How many rows have been written so far. */
  readonly done: number;
}

/**
 * Converts lines to the text of a file, a piece for each page. CSV follows RFC 4180, with an empty cell for an unknown
 * value.
 */
export async function* tablePieces<Line, Column extends string>(
  pages: AsyncIterable<readonly Line[]>,
  { columns, toRow, format, around: [before, after] }: Table<Line, Column>,
): AsyncGenerator<Piece, void> {
  const csvLine = (row: Readonly<Record<Column, Cell>>) => csvRow(columns.map((column) => csvCell(row[column])));
  let done = 0;
  yield { text: format === 'csv' ? csvRow(columns) : before, done };
  for await (const lines of pages) {
    const rows = lines.map(toRow);
    const text =
      format === 'csv'
        ? rows.map(csvLine).join('')
        : rows.map((row, index) => `${done + index === 0 ? '\n' : ',\n'}${JSON.stringify(row)}`).join('');
    done += rows.length;
    yield { text, done };
  }
  if (format === 'json') yield { text: after, done };
}

const csvCell = (value: Cell) => (typeof value === 'boolean' ? String(value) : value);
