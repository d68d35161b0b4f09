import { type Kysely, sql } from 'kysely';
import { refusal } from '#shared/language/refusals.ts';
import type { Db, Tables } from '../storage/database/db.ts';
import { insertMessages } from '../storage/database/insert-messages.ts';
import { wholeBranch } from './branch.ts';

export interface Fork {
  /** The last message that goes with it. */
  readonly messageId: string;
  readonly id: string;
  readonly now: number;
  readonly newId: () => string;
}

/**
 * Copies the branch that ends in a message into a conversation of its own, with the settings, title, folder and tags of
 * the first one. What the answers cost stays on them, but only the first conversation has the requests in its total.
 */
export function forkConversation(db: Db, { messageId, id, now, newId }: Fork): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const branch = await wholeBranch(tx, messageId);
    const last = branch.at(-1);
    if (!last || last.deletion !== null) throw refusal('not_found', 'messageGone');
    if (branch.some(({ status }) => status === 'streaming')) throw refusal('answer_in_progress', 'answerBusy');
    const from = last.conversation_id;
    const ids = new Map(branch.map((row) => [row.id, newId()]));
    const conversation = await tx
      .selectFrom('conversations')
      .selectAll()
      .where('id', '=', from)
      .executeTakeFirstOrThrow();
    const { title, model, folder_id, temporary } = conversation;
    const lastAnswer = branch.findLast(({ role }) => role === 'assistant');
    // Of a column it goes on with the column’s model.
    const column = lastAnswer?.comparison == null ? null : lastAnswer.model;
    const copy = { id, title, model: column ?? model, folder_id, temporary, created_at: now, updated_at: now };
    await tx
      .insertInto('conversations')
      .values({ ...copy, active_leaf: ids.get(messageId) ?? null })
      .execute();
    await insertMessages(tx, branch, ({ sibling_index: _, sibling_count: __, ...row }, at) => ({
      ...row,
      seq: null,
      id: ids.get(row.id) ?? row.id,
      conversation_id: id,
      parent_id: ids.get(row.parent_id ?? '') ?? null,
      shown_child: ids.get(branch[at + 1]?.id ?? '') ?? null,
      // Its requests are looked up for the first conversation.
      cost_open: 0,
      client_request_id: null,
      comparison: null,
      comparison_column: null,
      comparing: null,
    }));
    await copySettings(tx, from, id);
    await copySummaries(tx, from, id, ids, newId);
  });
}

async function copySettings(tx: Kysely<Tables>, from: string, to: string): Promise<void> {
  await sql`insert into conversation_tags (conversation_id, tag)
    select ${to}, tag from conversation_tags where conversation_id = ${from}`.execute(tx);
  await sql`insert into chat_options (chat, value) select ${to}, value from chat_options where chat = ${from}`.execute(
    tx,
  );
}

async function copySummaries(
  tx: Kysely<Tables>,
  from: string,
  to: string,
  ids: ReadonlyMap<string, string>,
  newId: () => string,
): Promise<void> {
  const rows = await tx.selectFrom('summaries').selectAll().where('conversation_id', '=', from).execute();
  for (const row of rows) {
    const through = ids.get(row.through_id);
    if (through === undefined) continue;
    await tx
      .insertInto('summaries')
      .values({ ...row, id: newId(), conversation_id: to, through_id: through })
      .execute();
  }
}
