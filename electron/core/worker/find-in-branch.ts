import type { Database } from 'better-sqlite3';

export interface BranchMatch {
  readonly messageId: string;
  readonly count: number;
}

/**
 * Matches of a text in the shown messages, oldest first: the branch, and all columns of shown comparisons, of a retried
 * column the last answer. Runs in the worker.
 */
export function findInBranch(db: Database, conversationId: string, text: string): BranchMatch[] {
  const rows = db
    .prepare(
      `with recursive branch (id, parent_id, depth) as (
        select m.id, m.parent_id, 0 from messages m join conversations c on c.active_leaf = m.id where c.id = ?
        union all
        select m.id, m.parent_id, depth + 1 from messages m join branch b on m.id = b.parent_id
      ), beside (id, depth, position) as (
        select a.id, b.depth, a.comparison_column from branch b join messages q on q.id = b.id
        join messages a on a.comparison = q.comparing and a.conversation_id = q.conversation_id
        where a.deletion is null and not exists (
          select 1 from messages later where later.comparison = a.comparison and later.seq > a.seq
          and later.comparison_column = a.comparison_column and later.continues = 0 and later.deletion is null
        )
      ), shown (id, depth, position) as (
        select b.id, b.depth, -1 from branch b join messages m on m.id = b.id where m.comparison is null
        or m.comparison not in (select q.comparing from branch c join messages q on q.id = c.id where q.comparing not null)
        union all
        -- Right after their question, which is one further from the end.
        select id, depth - 0.5, position from beside
      )
      select m.id, m.text from shown s join messages m on m.id = s.id order by s.depth desc, s.position, m.seq`,
    )
    .iterate(conversationId) as IterableIterator<{ id: string; text: string }>;
  const needle = text.toLowerCase();
  const matches: BranchMatch[] = [];
  for (const row of rows) {
    const count = occurrences(row.text.toLowerCase(), needle);
    if (count > 0) matches.push({ messageId: row.id, count });
  }
  return matches;
}

function occurrences(text: string, needle: string): number {
  let count = 0;
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) count++;
  return count;
}
