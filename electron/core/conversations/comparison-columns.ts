import type { Message } from '#shared/contract/chat/conversations.ts';

/** The answer of a column with its continuations. */
export type ColumnParts = readonly [Message, ...Message[]];

/**
 * What the columns of one comparison show, by their number. `answers` are in order of arrival: a retry replaces its
 * column, a part that continues another answer does not.
 */
export function getColumns(answers: readonly Message[]): Map<number, ColumnParts> {
  const columns = new Map<number, ColumnParts>();
  for (const answer of answers) {
    if (!answer.comparison) continue;
    const { column } = answer.comparison;
    const before = columns.get(column);
    if (!answer.continues) columns.set(column, [answer]);
    else if (before?.at(-1)?.id === answer.parentId) columns.set(column, [...before, answer]);
  }
  return columns;
}
