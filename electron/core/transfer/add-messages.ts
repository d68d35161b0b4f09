import { setImmediate } from 'node:timers/promises';
import { type Insertable, type Kysely, sql } from 'kysely';
import type { ExportedConversation, ExportedMessage } from '#shared/contract/chat/exported-conversation.ts';
import type { Db, MessageTable, Tables } from '../storage/database/db.ts';
import { inTurns } from '../storage/database/in-turns.ts';
import { insertMessages } from '../storage/database/insert-messages.ts';
import { keptSource } from '../storage/database/message-row.ts';

type IdOf = (id: string | null) => string | null;

/** Adds messages, parents before children. Ids that exist get new ones: answers with what names a message of the export here. */
export async function addMessages(
  tx: Kysely<Tables>,
  conversationId: string,
  messages: readonly ExportedMessage[],
  newId: () => string,
): Promise<IdOf> {
  const getId = await freeIds(tx, messages, newId);
  await insertMessages(tx, messages, (message) => columns(conversationId, message, getId));
  return getId;
}

/** Each commit waits for the disk; so many take some tenths of a second. */
const messagesInCommit = 1_000;

/** In many commits, between which others have their turn. */
export async function addMessagesInParts(
  db: Db,
  conversationId: string,
  messages: readonly ExportedMessage[],
  newId: () => string,
): Promise<IdOf> {
  const getId = await freeIds(db, messages, newId);
  for await (const some of inTurns(messages, messagesInCommit)) {
    await db
      .transaction()
      .execute((tx) => insertMessages(tx, some, (message) => columns(conversationId, message, getId)));
  }
  return getId;
}

async function freeIds(tx: Kysely<Tables>, messages: readonly ExportedMessage[], newId: () => string): Promise<IdOf> {
  const taken = new Set<string>();
  for await (const some of inTurns(messages, 400)) {
    const ids = some.map((each) => each.id);
    const rows = await tx.selectFrom('messages').select('id').where('id', 'in', ids).execute();
    for (const row of rows) taken.add(row.id);
  }
  const renamed = new Map([...taken].map((id) => [id, newId()]));
  return (id) => (id === null ? null : (renamed.get(id) ?? id));
}

/** Of one statement: a branch may be as long as a chat. */
const stepsAtOnce = 4_000;

/** Every message above this one shows the way to it. */
export async function showBranch(tx: Kysely<Tables>, leaf: string | null): Promise<void> {
  const path = (id: string) => sql`with recursive path (id, parent_id, step) as (
      select id, parent_id, 1 from messages where id = ${id}
      union all
      select m.id, m.parent_id, step + 1 from messages m join path p on m.id = p.parent_id where step < ${stepsAtOnce}
    )`;
  for (let from = leaf; from !== null; await setImmediate()) {
    await sql`${path(from)} update messages set shown_child = path.id from path where messages.id = path.parent_id`.execute(
      tx,
    );
    const above = sql<{
      parent_id: string | null;
    }>`${path(from)} select parent_id from path where step = ${stepsAtOnce}`;
    from = (await above.execute(tx)).rows[0]?.parent_id ?? null;
  }
}

/** When the last of its messages was written. */
export const getLast = ({ messages }: ExportedConversation): number =>
  messages.reduce((last, { createdAt }) => Math.max(last, createdAt), 0);

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

function columns(
  conversationId: string,
  message: ExportedMessage,
  getId: (id: string | null) => string | null,
): Insertable<MessageTable> {
  return {
    seq: null,
    id: getId(message.id) ?? message.id,
    conversation_id: conversationId,
    parent_id: getId(message.parentId),
    role: message.role,
    text: message.text,
    reasoning: message.reasoning,
    // An answer that was running during the export will not continue.
    status: message.status === 'streaming' ? 'interrupted' : message.status,
    model: message.model,
    served_provider: message.servedProvider,
    served_model: message.servedModel,
    model_name: message.modelName,
    simulated: message.simulated ? 1 : 0,
    finish_reason: message.finishReason,
    attachments: JSON.stringify(message.attachments),
    bill: json(message.bill),
    usage: json(message.usage),
    cost_usd: message.costUsd,
    cost_source: keptSource(message.costSource),
    cost_open: 0,
    route_reason: message.routeReason,
    request_id: message.requestId,
    source: message.source,
    error: json(message.error),
    tool_calls: JSON.stringify(message.toolCalls),
    citations: JSON.stringify(message.citations ?? []),
    created_at: message.createdAt,
    first_token_at: message.firstTokenAt,
    thought_ms: message.thoughtMs,
    finished_at: message.finishedAt,
    continues: message.continues ? 1 : 0,
    comparison: message.comparison?.id ?? null,
    comparison_column: message.comparison?.column ?? null,
    comparing: message.comparing,
  };
}
