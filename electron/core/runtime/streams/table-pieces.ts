import { csvRow } from '#shared/csv.ts';

type Cell = string | number | boolean | null;

interface Table<Line, Column extends string> {
  /** In their order, in which `toRow` has them too. */
  readonly columns: readonly Column[];
  readonly toRow: (line: Line) => Readonly<Record<Column, Cell>>;
  readonly format: 'csv' | 'json';
  /** What stands around the rows in JSON: up to and with the bracket that opens their array, and from the one that closes it. */
  readonly around: readonly [before: string, after: string];
}

interface Piece {
  readonly text: string;
  /** Rows that are in the text so far. */
  readonly done: number;
}

/** Lines as the text of a file, a piece for each page: CSV by RFC 4180, with an empty cell for what is not known, or JSON. */
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
        : rows.map((row, at) => `${done + at === 0 ? '\n' : ',\n'}${JSON.stringify(row)}`).join('');
    done += rows.length;
    yield { text, done };
  }
  if (format === 'json') yield { text: after, done };
}

const csvCell = (value: Cell) => (typeof value === 'boolean' ? String(value) : value);
