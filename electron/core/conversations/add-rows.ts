import { sql, type Transaction } from 'kysely';
import { refusal } from '#shared/language/refusals.ts';
import type { Tables } from '../storage/database/db.ts';
import { rememberPath } from './branch.ts';
import type { NewAnswer, NewQuestion } from './message-store.ts';

/** Rows that a conversation begins and grows with, each within a transaction of its caller. */
type Tx = Transaction<Tables>;

interface NewConversation {
  readonly id: string;
  readonly title: string;
  readonly model: string;
  readonly temporary: boolean;
  readonly folderId: string | null;
}

/** A conversation without messages. */
export async function addConversation(
  tx: Tx,
  { temporary, folderId, ...conversation }: NewConversation,
  now: number,
): Promise<void> {
  // In no folder, if that was deleted meanwhile.
  const folder_id = sql<string | null>`(select id from folders where id = ${folderId})`;
  const times = { created_at: now, updated_at: now };
  const row = { ...conversation, folder_id, active_leaf: null, temporary: temporary ? 1 : 0, ...times };
  await tx.insertInto('conversations').values(row).execute();
}

export async function addQuestion(
  tx: Tx,
  conversationId: string,
  parentId: string | null,
  question: NewQuestion,
  now: number,
) {
  await tx
    .insertInto('messages')
    .values({
      ...blank,
      id: question.id,
      conversation_id: conversationId,
      parent_id: parentId,
      role: 'user',
      text: question.text,
      attachments: JSON.stringify(question.attachments),
      status: 'done',
      created_at: now,
      finished_at: now,
    })
    .execute();
}

export async function mustBeThere(tx: Tx, id: string): Promise<void> {
  const row = await tx.selectFrom('messages').select('deletion').where('id', '=', id).executeTakeFirst();
  if (row?.deletion !== null) throw refusal('not_found', 'messageBeforeGone');
}

export async function addAnswer(
  tx: Tx,
  conversationId: string,
  parentId: string,
  answer: NewAnswer,
  now: number,
  continues: 0 | 1 = 0,
) {
  await insertAnswer(tx, conversationId, parentId, answer, now, continues);
  if (answer.aside) return;
  await tx
    .updateTable('conversations')
    .set({ active_leaf: answer.id, model: answer.model, updated_at: now })
    .where('id', '=', conversationId)
    .execute();
  await rememberPath(tx, answer.id);
}

export async function insertAnswer(
  tx: Tx,
  conversationId: string,
  parentId: string,
  answer: NewAnswer,
  now: number,
  continues: 0 | 1,
) {
  await tx
    .insertInto('messages')
    .values({
      ...blank,
      id: answer.id,
      conversation_id: conversationId,
      parent_id: parentId,
      continues,
      role: 'assistant',
      text: '',
      status: 'streaming',
      model: answer.model,
      model_name: answer.modelName,
      simulated: answer.simulated ? 1 : 0,
      cost_open: 1,
      comparison: answer.comparison?.id ?? null,
      comparison_column: answer.comparison?.column ?? null,
      created_at: now,
    })
    .execute();
}

const blank = {
  seq: null,
  reasoning: '',
  model: null,
  served_provider: null,
  served_model: null,
  model_name: null,
  simulated: 0,
  finish_reason: null,
  usage: null,
  cost_usd: null,
  cost_source: 'unknown',
  cost_open: 0,
  route_reason: null,
  request_id: null,
  source: null,
  error: null,
  tool_calls: '[]',
  first_token_at: null,
  finished_at: null,
} as const;
