import { type Insertable, type Kysely, sql } from 'kysely';
import type { ExportedConversation, ExportedMessage } from '#shared/contract/chat/exported-conversation.ts';
import type { MessageTable, Tables } from '../db/db.ts';
import { insertMessages } from '../db/insert-messages.ts';
import { keptSource } from '../db/message-row.ts';

/** Adds messages, parents before children. Ids that exist get new ones: answers with what names a message of the export here. */
export async function addMessages(
  tx: Kysely<Tables>,
  conversationId: string,
  messages: readonly ExportedMessage[],
  newId: () => string,
): Promise<(id: string | null) => string | null> {
  const taken = new Set<string>();
  for (let at = 0; at < messages.length; at += 400) {
    const some = messages.slice(at, at + 400).map((each) => each.id);
    const rows = await tx.selectFrom('messages').select('id').where('id', 'in', some).execute();
    for (const row of rows) taken.add(row.id);
  }
  const renamed = new Map([...taken].map((id) => [id, newId()]));
  const idOf = (id: string | null) => (id === null ? null : (renamed.get(id) ?? id));
  await insertMessages(tx, messages, (message) => columns(conversationId, message, idOf));
  return idOf;
}

/** Every message above this one shows the way to it. */
export const showBranch = (tx: Kysely<Tables>, leaf: string | null) =>
  sql`with recursive path (id, parent_id) as (
      select id, parent_id from messages where id = ${leaf}
      union all
      select m.id, m.parent_id from messages m join path p on m.id = p.parent_id
    )
    update messages set shown_child = path.id from path where messages.id = path.parent_id`.execute(tx);

/** When the last of its messages was written. */
export const lastOf = ({ messages }: ExportedConversation): number =>
  messages.reduce((last, { createdAt }) => Math.max(last, createdAt), 0);

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

function columns(
  conversationId: string,
  message: ExportedMessage,
  idOf: (id: string | null) => string | null,
): Insertable<MessageTable> {
  return {
    seq: null,
    id: idOf(message.id) ?? message.id,
    conversation_id: conversationId,
    parent_id: idOf(message.parentId),
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
