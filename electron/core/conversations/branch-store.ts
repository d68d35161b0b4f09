import { type Kysely, sql } from 'kysely';
import { refusal } from '#shared/language/refusals.ts';
import type { Db, Tables } from '../storage/database/db.ts';
import { isParent, type NumberedRow } from '../storage/database/message-row.ts';

/**
 * The messages of a conversation form a tree. The `shown_child` of a message is the child that is shown, or that was
 * shown last. The shown branch ends at the conversation’s `active_leaf`. Removed messages are in no branch.
 */

/**
 * The counterpart of `isParent` for walks down the tree. A child is newer than its parent and in the same conversation,
 * so a walk ends even in a damaged database.
 */
const isBelow = sql`m.seq > down.seq and m.conversation_id = down.conversation_id`;

const siblings = sql`messages s where s.conversation_id = m.conversation_id and s.parent_id is m.parent_id
  and s.deletion is null`;
const columns = sql`m.*, (select count(*) from ${siblings} and s.seq <= m.seq) as sibling_index,
  (select count(*) from ${siblings}) as sibling_count`;
const shownBelow = sql`coalesce(m.shown_child, (select c.id from messages c where c.conversation_id = m.conversation_id
  and c.parent_id = m.id and c.deletion is null order by c.seq desc limit 1))`;

/** Returns the message and at most `above` ancestors, oldest first. */
export async function branchUp(db: Kysely<Tables>, id: string, above: number): Promise<NumberedRow[]> {
  const { rows } = await sql<NumberedRow>`
    with recursive up (id, parent_id, seq, conversation_id, depth) as (
      select id, parent_id, seq, conversation_id, 0 from messages where id = ${id}
      union all
      select m.id, m.parent_id, m.seq, m.conversation_id, depth + 1 from messages m join up on ${isParent} where depth < ${above}
    )
    select ${columns} from up join messages m on m.id = up.id order by depth desc`.execute(db);
  return rows;
}

/** Returns the message and, if it continues an answer, the earlier parts of that answer, oldest first. */
export async function answerUp(db: Kysely<Tables>, id: string): Promise<NumberedRow[]> {
  const { rows } = await sql<NumberedRow>`
    with recursive up (id, parent_id, seq, conversation_id, continues, depth) as (
      select id, parent_id, seq, conversation_id, continues, 0 from messages where id = ${id}
      union all
      select m.id, m.parent_id, m.seq, m.conversation_id, m.continues, depth + 1 from messages m join up on ${isParent}
      where up.continues = 1
    )
    select ${columns} from up join messages m on m.id = up.id order by depth desc`.execute(db);
  return rows;
}

/** Returns the message and all its continuations, in order. */
export async function answerDown(db: Kysely<Tables>, id: string): Promise<NumberedRow[]> {
  const { rows } = await sql<NumberedRow>`
    with recursive down (id, seq, conversation_id, depth) as (
      select id, seq, conversation_id, 0 from messages where id = ${id}
      union all
      select m.id, m.seq, m.conversation_id, depth + 1
      from messages m join down on m.parent_id = down.id and ${isBelow}
      where m.continues = 1 and m.deletion is null
    )
    select ${columns} from down join messages m on m.id = down.id order by depth, m.seq`.execute(db);
  return rows;
}

/** Returns the branch that ends at this message, oldest first. Siblings aren't counted, which is faster. */
export async function wholeBranch(db: Kysely<Tables>, id: string): Promise<NumberedRow[]> {
  const { rows } = await sql<NumberedRow>`
    with recursive up (id, parent_id, seq, conversation_id, depth) as (
      select id, parent_id, seq, conversation_id, 0 from messages where id = ${id}
      union all
      select m.id, m.parent_id, m.seq, m.conversation_id, depth + 1 from messages m join up on ${isParent}
    )
    select m.*, 1 as sibling_index, 1 as sibling_count
    from up join messages m on m.id = up.id order by depth desc`.execute(db);
  return rows;
}

/** Returns at most `below` descendants along the branch that was shown last, oldest first. */
export async function branchDown(db: Kysely<Tables>, id: string, below: number): Promise<NumberedRow[]> {
  const { rows } = await sql<NumberedRow>`
    with recursive down (id, next, seq, conversation_id, depth) as (
      select m.id, ${shownBelow}, m.seq, m.conversation_id, 0 from messages m where m.id = ${id}
      union all
      select m.id, ${shownBelow}, m.seq, m.conversation_id, depth + 1
      from messages m join down on m.id = down.next and ${isBelow} where depth < ${below}
    )
    select ${columns} from down join messages m on m.id = down.id where depth > 0 order by depth`.execute(db);
  return rows;
}

/** Returns the answers of these comparisons with their continuations, in order of arrival. */
export async function comparedRows(
  db: Kysely<Tables>,
  conversationId: string,
  comparisons: readonly string[],
): Promise<NumberedRow[]> {
  if (comparisons.length === 0) return [];
  const { rows } = await sql<NumberedRow>`
    select ${columns} from messages m where m.comparison in (${sql.join(comparisons)})
    and m.conversation_id = ${conversationId} and m.deletion is null order by m.seq`.execute(db);
  return rows;
}

/** Returns the leaf of the branch through this message. */
export async function leafBelow(db: Kysely<Tables>, id: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with recursive down (id, next, seq, conversation_id, depth) as (
      select m.id, ${shownBelow}, m.seq, m.conversation_id, 0 from messages m where m.id = ${id}
      union all
      select m.id, ${shownBelow}, m.seq, m.conversation_id, depth + 1
      from messages m join down on m.id = down.next and ${isBelow}
    )
    select id from down order by depth desc limit 1`.execute(db);
  return rows[0]?.id ?? id;
}

/** Makes this message the shown child of its parent, and so on up to the root. */
export async function rememberPath(db: Kysely<Tables>, id: string): Promise<void> {
  await sql`
    with recursive up (id, parent_id, seq, conversation_id) as (
      select id, parent_id, seq, conversation_id from messages where id = ${id}
      union all
      select m.id, m.parent_id, m.seq, m.conversation_id from messages m join up on ${isParent}
    )
    update messages set shown_child = up.id from up
    where messages.id = up.parent_id and messages.shown_child is not up.id`.execute(db);
}

/** Shows the branch through this message. Returns true if that changed anything. */
export async function showThrough(db: Kysely<Tables>, conversationId: string, id: string): Promise<boolean> {
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

/** Returns the previous (-1) or next (1) sibling of a message. */
async function getSibling(
  db: Kysely<Tables>,
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

/** Shows, removes and restores branches of the message tree. Each change is one commit. */
export function branchStore(db: Db) {
  const inOne = <T>(work: (tx: Kysely<Tables>) => Promise<T>) => db.transaction().execute(work);
  return {
    /** Shows the branch of the message, or of its previous or next sibling if there is one. */
    show: (messageId: string, step: -1 | 0 | 1) =>
      inOne(async (tx) => {
        const message = await present(tx, messageId);
        const shown = (step !== 0 && (await getSibling(tx, message, step))) || messageId;
        const changed = await showThrough(tx, message.conversation_id, shown);
        return { conversationId: message.conversation_id, shown, changed };
      }),

    /** Removes the message and all messages below it. Returns the removed ids. */
    remove: (messageId: string, deletionId: string, now: number) =>
      inOne(async (tx) => {
        const message = await present(tx, messageId);
        const { conversation_id } = message;
        const leaf = await getLeaf(tx, conversation_id);
        const { rows } = await sql<{ id: string }>`
          with recursive below (id) as (
            select ${messageId} union
            -- A question to all columns of a comparison has a copy below each.
            select other.id from messages m join messages other on other.comparing = m.comparing
            where m.id = ${messageId} and other.conversation_id = m.conversation_id and other.deletion is null
            union
            select m.id from messages m join below on m.parent_id = below.id where m.deletion is null
          )
          update messages set deletion = ${deletionId} where id in (select id from below) returning id`.execute(tx);
        const removed = rows.map(({ id }) => id);
        const cut = leaf !== null && removed.includes(leaf) ? leaf : null;
        const next = (await getSibling(tx, message, -1)) ?? (await getSibling(tx, message, 1));
        const { numUpdatedRows } = await tx
          .updateTable('messages')
          .set({ shown_child: next })
          .where('id', '=', message.parent_id ?? '')
          .where('shown_child', '=', messageId)
          .executeTakeFirst();
        await tx
          .insertInto('deletions')
          .values({
            id: deletionId,
            conversation_id,
            message_id: messageId,
            was_shown: numUpdatedRows > 0n ? 1 : 0,
            leaf: cut,
            deleted_at: now,
          })
          .execute();
        if (cut && next) await showThrough(tx, conversation_id, next);
        else if (cut) await setLeaf(tx, conversation_id, message.parent_id);
        return { conversationId: conversation_id, parentId: message.parent_id, removed };
      }),

    /**
     * Undoes a removal. If a message above it was removed too, the messages stay removed and belong to that removal
     * from now on.
     */
    restore: (deletionId: string) =>
      inOne(async (tx) => {
        const deletion = await tx.selectFrom('deletions').selectAll().where('id', '=', deletionId).executeTakeFirst();
        if (!deletion) throw refusal('not_found', 'tooLateToUndo');
        const { conversation_id, message_id, was_shown, leaf } = deletion;
        const above = await removalAbove(tx, message_id);
        await tx.updateTable('messages').set({ deletion: above }).where('deletion', '=', deletionId).execute();
        await tx.deleteFrom('deletions').where('id', '=', deletionId).execute();
        if (above !== null) return conversation_id;
        if (was_shown) {
          await sql`update messages set shown_child = ${message_id}
            where id = (select parent_id from messages where id = ${message_id})`.execute(tx);
        }
        // If the removal had cut the shown branch, that branch is shown again. Otherwise the shown branch stays the
        // same, but restored messages may extend it.
        await showThrough(tx, conversation_id, leaf ?? (await getLeaf(tx, conversation_id)) ?? message_id);
        return conversation_id;
      }),

    /** Deletes the text of old removals for good. Their costs stay recorded. */
    purge: (before: number) =>
      inOne(async (tx) => {
        const old = tx.selectFrom('deletions').select('id').where('deleted_at', '<', before);
        await tx
          .updateTable('messages')
          .set({ text: '', reasoning: '', tool_calls: '[]', error: null, attachments: '[]', route_reason: null })
          .where('deletion', 'in', old)
          .execute();
        await tx.deleteFrom('deletions').where('deleted_at', '<', before).execute();
      }),
  };
}

async function present(tx: Kysely<Tables>, id: string) {
  const row = await tx
    .selectFrom('messages')
    .select(['conversation_id', 'parent_id', 'seq'])
    .where('id', '=', id)
    .where('deletion', 'is', null)
    .executeTakeFirst();
  if (!row) throw refusal('not_found', 'messageGone');
  return row;
}

async function getLeaf(tx: Kysely<Tables>, conversationId: string): Promise<string | null> {
  const row = await tx
    .selectFrom('conversations')
    .select('active_leaf')
    .where('id', '=', conversationId)
    .executeTakeFirst();
  return row?.active_leaf ?? null;
}

const setLeaf = (tx: Kysely<Tables>, conversationId: string, leaf: string | null) =>
  tx.updateTable('conversations').set({ active_leaf: leaf }).where('id', '=', conversationId).execute();

/** Returns the nearest removal above this message, if there is one. */
async function removalAbove(tx: Kysely<Tables>, id: string): Promise<string | null> {
  const { rows } = await sql<{ deletion: string }>`
    with recursive up (id, parent_id, seq, conversation_id, depth) as (
      select id, parent_id, seq, conversation_id, 0 from messages where id = ${id}
      union all
      select m.id, m.parent_id, m.seq, m.conversation_id, depth + 1 from messages m join up on ${isParent}
    )
    select m.deletion from up join messages m on m.id = up.id where depth > 0 and m.deletion is not null
    order by depth limit 1`.execute(tx);
  return rows[0]?.deletion ?? null;
}
