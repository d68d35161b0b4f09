import { type Kysely, sql } from 'kysely';
import type { Tables } from '../storage/database/db.ts';
import type { NumberedRow } from '../storage/database/message-row.ts';

/**
 * The messages of a conversation are a tree. `shown_child` of a message is the child that is shown, or was last; the
 * shown branch ends in the conversation’s `active_leaf`. Removed messages are in no branch.
 */
type Db = Kysely<Tables>;

const siblings = sql`messages s where s.conversation_id = m.conversation_id and s.parent_id is m.parent_id
  and s.deletion is null`;
const columns = sql`m.*, (select count(*) from ${siblings} and s.seq <= m.seq) as sibling_index,
  (select count(*) from ${siblings}) as sibling_count`;
const shownBelow = sql`coalesce(m.shown_child, (select c.id from messages c where c.conversation_id = m.conversation_id
  and c.parent_id = m.id and c.deletion is null order by c.seq desc limit 1))`;

/** The message and at most this many ancestors, oldest first. */
export async function branchUp(db: Db, id: string, above: number): Promise<NumberedRow[]> {
  const { rows } = await sql<NumberedRow>`
    with recursive up (id, parent_id, depth) as (
      select id, parent_id, 0 from messages where id = ${id}
      union all
      select m.id, m.parent_id, depth + 1 from messages m join up on m.id = up.parent_id where depth < ${above}
    )
    select ${columns} from up join messages m on m.id = up.id order by depth desc`.execute(db);
  return rows;
}

/** The message and, if it continues an answer, the earlier parts; oldest first. */
export async function answerUp(db: Db, id: string): Promise<NumberedRow[]> {
  const { rows } = await sql<NumberedRow>`
    with recursive up (id, parent_id, continues, depth) as (
      select id, parent_id, continues, 0 from messages where id = ${id}
      union all
      select m.id, m.parent_id, m.continues, depth + 1 from messages m join up on m.id = up.parent_id
      where up.continues = 1
    )
    select ${columns} from up join messages m on m.id = up.id order by depth desc`.execute(db);
  return rows;
}

/** The message and all its continuations, in order. */
export async function answerDown(db: Db, id: string): Promise<NumberedRow[]> {
  const { rows } = await sql<NumberedRow>`
    with recursive down (id, depth) as (
      select id, 0 from messages where id = ${id}
      union all
      select m.id, depth + 1 from messages m join down on m.parent_id = down.id
      where m.continues = 1 and m.deletion is null
    )
    select ${columns} from down join messages m on m.id = down.id order by depth, m.seq`.execute(db);
  return rows;
}

/** The whole branch that ends here, oldest first, without counting siblings. */
export async function wholeBranch(db: Db, id: string): Promise<NumberedRow[]> {
  const { rows } = await sql<NumberedRow>`
    with recursive up (id, parent_id, depth) as (
      select id, parent_id, 0 from messages where id = ${id}
      union all
      select m.id, m.parent_id, depth + 1 from messages m join up on m.id = up.parent_id
    )
    select m.*, 1 as sibling_index, 1 as sibling_count
    from up join messages m on m.id = up.id order by depth desc`.execute(db);
  return rows;
}

/** At most this many descendants along the branch shown last; oldest first. */
export async function branchDown(db: Db, id: string, below: number): Promise<NumberedRow[]> {
  const { rows } = await sql<NumberedRow>`
    with recursive down (id, next, depth) as (
      select m.id, ${shownBelow}, 0 from messages m where m.id = ${id}
      union all
      select m.id, ${shownBelow}, depth + 1 from messages m join down on m.id = down.next where depth < ${below}
    )
    select ${columns} from down join messages m on m.id = down.id where depth > 0 order by depth`.execute(db);
  return rows;
}

/** The answers of these comparisons with their continuations, in order of arrival. */
export async function comparedRows(
  db: Db,
  conversationId: string,
  comparisons: readonly string[],
): Promise<NumberedRow[]> {
  if (comparisons.length === 0) return [];
  const { rows } = await sql<NumberedRow>`
    select ${columns} from messages m where m.comparison in (${sql.join(comparisons)})
    and m.conversation_id = ${conversationId} and m.deletion is null order by m.seq`.execute(db);
  return rows;
}

/** The leaf of the branch through this message. */
export async function leafBelow(db: Db, id: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with recursive down (id, next, depth) as (
      select m.id, ${shownBelow}, 0 from messages m where m.id = ${id}
      union all
      select m.id, ${shownBelow}, depth + 1 from messages m join down on m.id = down.next
    )
    select id from down order by depth desc limit 1`.execute(db);
  return rows[0]?.id ?? id;
}

/** Makes each ancestor lead to this message. */
export async function rememberPath(db: Db, id: string): Promise<void> {
  await sql`
    with recursive up (id, parent_id) as (
      select id, parent_id from messages where id = ${id}
      union all
      select m.id, m.parent_id from messages m join up on m.id = up.parent_id
    )
    update messages set shown_child = up.id from up
    where messages.id = up.parent_id and messages.shown_child is not up.id`.execute(db);
}

/** Shows the branch through this message; true if that changed anything. */
export async function showThrough(db: Db, conversationId: string, id: string): Promise<boolean> {
  await rememberPath(db, id);
  const leaf = await leafBelow(db, id);
  const { numUpdatedRows } = await db
    .updateTable('conversations')
    .set({ active_leaf: leaf })
    .where('id', '=', conversationId)
    .where('active_leaf', 'is not', leaf)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The previous (-1) or next (1) sibling of a message. */
export async function getSibling(
  db: Db,
  message: { conversation_id: string; parent_id: string | null; seq: number | null },
  step: -1 | 1,
): Promise<string | null> {
  const row = await db
    .selectFrom('messages')
    .select('id')
    .where('conversation_id', '=', message.conversation_id)
    .where('parent_id', 'is', message.parent_id)
    .where('deletion', 'is', null)
    .where('seq', step < 0 ? '<' : '>', message.seq)
    .orderBy('seq', step < 0 ? 'desc' : 'asc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}
