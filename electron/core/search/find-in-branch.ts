import type { Database } from 'better-sqlite3';

export interface BranchMatch {
  readonly messageId: string;
  readonly count: number;
}

/** Where a text occurs in the branch that is shown, oldest first. Runs in the worker. */
export function findInBranch(db: Database, conversationId: string, text: string): BranchMatch[] {
  const rows = db
    .prepare(
      `with recursive branch (id, parent_id, depth) as (
        select m.id, m.parent_id, 0 from messages m join conversations c on c.active_leaf = m.id where c.id = ?
        union all
        select m.id, m.parent_id, depth + 1 from messages m join branch b on m.id = b.parent_id
      )
      select m.id, m.text from branch b join messages m on m.id = b.id order by b.depth desc`,
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
