import { type Selectable, sql } from 'kysely';
import type { CostSource, Message, ToolCall } from '#shared/contract/chat/conversations.ts';
import type { MessageTable } from './db.ts';
import { storedAttachments } from './stored-attachments.ts';

/**
 * A parent is older than its child and in the same conversation. In a database that something else has written, the walks end where
 * that does not hold, so each of them has an end.
 */
export const isParent = sql`m.id = up.parent_id and m.seq < up.seq and m.conversation_id = up.conversation_id`;

export type MessageRow = Selectable<MessageTable>;
export type NumberedRow = MessageRow & { sibling_index: number; sibling_count: number };

/** Fields of an answer that change while it runs and when it ends. */
export type AnswerPatch = Partial<
  Pick<
    Message,
    | 'text'
    | 'reasoning'
    | 'status'
    | 'servedProvider'
    | 'servedModel'
    | 'modelName'
    | 'simulated'
    | 'finishReason'
    | 'usage'
    | 'costUsd'
    | 'costSource'
    | 'bill'
    | 'routeReason'
    | 'requestId'
    | 'error'
    | 'toolCalls'
    | 'citations'
    | 'attachments'
    | 'firstTokenAt'
    | 'thoughtMs'
    | 'finishedAt'
    | 'room'
  >
> & { source?: string; clientRequestId?: string; costOpen?: boolean; searchedTokens?: number };

export function toMessage(row: NumberedRow): Message {
  return {
    id: row.id,
    conversationId: row.conversation_id,
    parentId: row.parent_id,
    role: row.role,
    text: row.text,
    attachments: row.attachments === '[]' ? [] : storedAttachments(row.attachments),
    reasoning: row.reasoning,
    status: row.status,
    model: row.model,
    servedProvider: row.served_provider,
    servedModel: row.served_model,
    modelName: row.model_name ?? row.served_model ?? row.model,
    simulated: row.simulated === 1,
    finishReason: row.finish_reason,
    usage: row.usage === null ? null : JSON.parse(row.usage),
    costUsd: row.cost_usd,
    costSource: getSource(row),
    bill: row.bill === null ? null : JSON.parse(row.bill),
    routeReason: row.route_reason,
    requestId: row.request_id,
    error: row.error === null ? null : JSON.parse(row.error),
    toolCalls: settled(JSON.parse(row.tool_calls), row.status),
    citations: JSON.parse(row.citations),
    createdAt: row.created_at,
    firstTokenAt: row.first_token_at,
    thoughtMs: row.thought_ms,
    finishedAt: row.finished_at,
    sibling: { index: row.sibling_index, count: row.sibling_count },
    continues: row.continues === 1,
    room: row.room === null ? null : JSON.parse(row.room),
    comparison: row.comparison === null ? null : { id: row.comparison, column: row.comparison_column ?? 0 },
    comparing: row.comparing,
  };
}

/** A request that was never charged is stored as billed with $0. Its status tells it apart from a charged one. */
export const keptSource = (source: CostSource): MessageRow['cost_source'] =>
  source === 'uncharged' ? 'billed' : source;

function getSource({ cost_source, cost_usd, status }: MessageRow): CostSource {
  const cameToNothing = status === 'error' || status === 'cancelled' || status === 'interrupted';
  return cost_source === 'billed' && cost_usd === '0' && cameToNothing ? 'uncharged' : cost_source;
}

/** In an ended answer no call waits or runs any more, even after a crash. */
function settled(calls: ToolCall[], status: Message['status']): ToolCall[] {
  if (status === 'streaming') return calls;
  return calls.map(({ run, ...call }) => {
    if (run === undefined) return call;
    const open = run.state === 'waiting' || run.state === 'running';
    return { ...call, run: open ? { ...run, state: 'stopped' } : run };
  });
}

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
const flag = (value: boolean) => (value ? 1 : 0);

/** The columns that a patch sets. */
export function toColumns(patch: AnswerPatch): Partial<MessageRow> {
  const columns: { [K in keyof Required<AnswerPatch>]: () => Partial<MessageRow> } = {
    text: () => ({ text: patch.text ?? '' }),
    reasoning: () => ({ reasoning: patch.reasoning ?? '' }),
    status: () => (patch.status ? { status: patch.status } : {}),
    servedProvider: () => ({ served_provider: patch.servedProvider ?? null }),
    servedModel: () => ({ served_model: patch.servedModel ?? null }),
    modelName: () => ({ model_name: patch.modelName ?? null }),
    simulated: () => ({ simulated: flag(patch.simulated ?? false) }),
    finishReason: () => ({ finish_reason: patch.finishReason ?? null }),
    usage: () => ({ usage: json(patch.usage ?? null) }),
    costUsd: () => ({ cost_usd: patch.costUsd ?? null }),
    costSource: () => ({ cost_source: keptSource(patch.costSource ?? 'unknown') }),
    bill: () => ({ bill: json(patch.bill ?? null) }),
    routeReason: () => ({ route_reason: patch.routeReason ?? null }),
    requestId: () => ({ request_id: patch.requestId ?? null }),
    error: () => ({ error: json(patch.error ?? null) }),
    toolCalls: () => ({ tool_calls: JSON.stringify(patch.toolCalls ?? []) }),
    attachments: () => ({ attachments: JSON.stringify(patch.attachments ?? []) }),
    citations: () => ({ citations: JSON.stringify(patch.citations ?? []) }),
    firstTokenAt: () => ({ first_token_at: patch.firstTokenAt ?? null }),
    thoughtMs: () => ({ thought_ms: patch.thoughtMs ?? null }),
    finishedAt: () => ({ finished_at: patch.finishedAt ?? null }),
    clientRequestId: () => ({ client_request_id: patch.clientRequestId ?? null }),
    searchedTokens: () => ({ searched_tokens: patch.searchedTokens ?? null }),
    room: () => ({ room: json(patch.room ?? null) }),
    source: () => ({ source: patch.source ?? null }),
    costOpen: () => ({ cost_open: flag(patch.costOpen ?? false) }),
  };
  const names = Object.keys(patch) as (keyof AnswerPatch)[];
  return Object.assign({}, ...names.map((name) => columns[name]()));
}
