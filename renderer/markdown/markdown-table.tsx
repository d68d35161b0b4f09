import type { Tokens } from 'marked';
import { memo } from 'react';
import { LazyBox } from '../long-text/lazy-box.tsx';
import { createScripts, type Scripts } from '../long-text/weight.ts';
import { markdownText as words } from '../text/markdown-text.ts';
import { ScrollGroup } from '../ui/elements/scroll-group.tsx';
import { Inline } from './inline.tsx';
import { isBoxed, rowsWeight, rowWeight } from './parser/token-weight.ts';

type Cells = readonly Tokens.TableCell[];

/** From this length in characters on, a column keeps a readable minimum width, so that the table scrolls. */
const longCell = 24;
const veryLongCell = 120;
const rowPx = { line: 20, padding: 17 } as const;

export function Table({ table }: { table: Tokens.Table }) {
  const lengths = table.header.map((head, column) =>
    table.rows.reduce((most, row) => Math.max(most, row[column]?.text.length ?? 0), head.text.length / 2),
  );
  const isLong = isBoxed(table);
  return (
    <ScrollGroup label={words.table} className="table-scroll">
      <table>
        {isLong && <Columns table={table} />}
        <thead>
          <tr>
            {table.header.map((entry, index) => (
              <Cell
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell is identified by its position
                key={index}
                entry={entry}
                as={entry.text === '' ? 'td' : 'th'}
                size={getSize(lengths[index] ?? 0)}
              />
            ))}
          </tr>
        </thead>
        {isLong ? (
          inGroups(table.rows).map((rows, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are only appended
            <LazyRows key={index} rows={rows} />
          ))
        ) : (
          <tbody>
            <Rows rows={table.rows} />
          </tbody>
        )}
      </table>
    </ScrollGroup>
  );
}

const getSize = (letters: number) => (letters > veryLongCell ? 'very-long' : letters > longCell ? 'long' : undefined);

/** Sets the columns of a long table to the width of their longest cells, regardless of which rows are drawn. */
function Columns({ table }: { table: Tokens.Table }) {
  return (
    <colgroup>
      {table.header.map((head, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is identified by its position
        <col key={column} style={{ width: columnPx([head, ...table.rows.flatMap((row) => row[column] ?? [])]) }} />
      ))}
    </colgroup>
  );
}

const letterPx = { narrow: 7.5, wide: 14 } as const;
const maxColumnPx = 420;

function columnPx(cells: Cells): number {
  const widestText = cells.reduce((most, { text }) => (text.length > most.length ? text : most), '');
  const px = /[\u1100-\uffef]/.test(widestText) ? letterPx.wide : letterPx.narrow;
  return Math.round(24 + Math.min(maxColumnPx, widestText.length * px));
}

/** Splits rows into groups that are drawn together. When a table grows, only the last group changes. */
function inGroups(rows: readonly Tokens.TableCell[][]): readonly (readonly Cells[])[] {
  const groups: Cells[][] = [];
  const scripts: Scripts = new Set();
  let weight = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const more = rowWeight(row, rowsWeight, scripts);
    weight += more;
    if (weight <= rowsWeight) groups.at(-1)?.push(row);
    else {
      groups.push([row]);
      weight = more;
    }
  }
  return groups;
}

/** A group of rows of a long table, which is rendered only near the viewport. */
const LazyRows = memo(
  function LazyRows({ rows }: { rows: readonly Cells[] }) {
    return (
      <LazyBox
        as="tbody"
        weight={getWeight(rows)}
        guessPx={() => rows.reduce((sum, row) => sum + guessedRow(row), 0)}
        of={rows[0]}
        first={false}
      >
        {() => <Rows rows={rows} />}
      </LazyBox>
    );
  },
  (before, now) => before.rows.length === now.rows.length && before.rows.every((row, index) => row === now.rows[index]),
);

function getWeight(rows: readonly Cells[]): number {
  const scripts = createScripts();
  return rows.reduce((sum, row) => sum + rowWeight(row, Number.POSITIVE_INFINITY, scripts), 0);
}

function guessedRow(row: Cells): number {
  const letters = row.reduce((most, { text }) => Math.max(most, text.length), 0);
  return rowPx.padding + rowPx.line * Math.ceil(Math.max(1, (letters * row.length) / 95));
}

function Rows({ rows }: { rows: readonly Cells[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position
  return rows.map((row, index) => <Row key={index} row={row} />);
}

/** Memoised by its cells, so that a table that grows renders only new rows. */
const Row = memo(function Row({ row }: { row: Cells }) {
  return (
    <tr>
      {row.map((entry, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a cell is identified by its position
        <Cell key={column} entry={entry} as="td" />
      ))}
    </tr>
  );
});

interface CellProps {
  entry: Tokens.TableCell;
  as: 'th' | 'td';
  size?: string | undefined;
}

function Cell({ entry, as: Tag, size }: CellProps) {
  return (
    <Tag data-align={entry.align ?? undefined} data-size={size} scope={Tag === 'th' ? 'col' : undefined}>
      <Inline tokens={entry.tokens} />
    </Tag>
  );
}
