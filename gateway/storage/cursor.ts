import { AppError } from '#shared/errors.ts';

/** A page of a cursor list (wire contract §1.0). */
export interface PageRequest {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly order: 'asc' | 'desc';
}

export interface Page<Item> {
  readonly object: 'list';
  readonly data: Item[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** What a store has to fetch: `limit` rows and one more, in `direction`, starting after the cursor if there is one. */
export interface Slice {
  readonly cursor: string | undefined;
  readonly comparison: '<' | '>';
  readonly direction: 'asc' | 'desc';
  readonly take: number;
}

/** `before` walks the list backwards from its cursor. Throws 400 when both cursors are given. */
export function getSlice(page: PageRequest): Slice {
  if (page.after !== undefined && page.before !== undefined) {
    throw new AppError('invalid_query_parameter', 'Give either "after" or "before", not both.', { param: 'before' });
  }
  const direction = page.before === undefined ? page.order : page.order === 'asc' ? 'desc' : 'asc';
  return {
    cursor: page.after ?? page.before,
    comparison: direction === 'asc' ? '>' : '<',
    direction,
    take: page.limit + 1,
  };
}

/** Turns the fetched rows into the requested page. */
export function getPage<Row, Item extends { id: string }>(
  page: PageRequest,
  rows: readonly Row[],
  toItem: (row: Row) => Item,
): Page<Item> {
  const data = rows.slice(0, page.limit).map(toItem);
  if (page.before !== undefined) data.reverse();
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: rows.length > page.limit,
  };
}

export const unknownCursor = (page: PageRequest) =>
  new AppError('invalid_query_parameter', 'The cursor is not an id of this list.', {
    param: page.after === undefined ? 'before' : 'after',
  });
