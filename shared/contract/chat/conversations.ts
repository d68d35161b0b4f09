import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { attachments } from '../common/attachments.ts';
import { bill } from '../common/bills.ts';
import { id, modelId, timeMs, told } from '../common/fields.ts';

export const conversation = z.object({
  id,
  title: z.string(),
  model: modelId,
  createdAt: timeMs,
  updatedAt: timeMs,
  /** An answer is running. */
  live: z.boolean(),
  /** A tool waits for the user's decision. */
  waiting: z.boolean(),
  folderId: id.nullable(),
  tags: z.array(z.string()),
  pinned: z.boolean(),
  archived: z.boolean(),
  /** Time of its move to the trash, or null. */
  trashedAt: timeMs.nullable(),
});

export const messageStatus = z.enum(['streaming', 'done', 'error', 'cancelled', 'interrupted']);

/** Where a cost comes from. `unknown` is never shown as $0. */
export const costSource = z.enum(['billed', 'estimated', 'byok', 'unknown']);

/** The outcome of a tool call. Only `running` calls run, and none starts without a decision. */
export const toolRun = z.object({
  /** The tool’s server; empty if there is no such tool. */
  server: z.string(),
  title: z.string(),
  /** `waiting`: for the user. `skipped`: a limit was reached. `stopped`: the answer ended while it waited or ran. */
  state: z.enum(['waiting', 'running', 'done', 'failed', 'denied', 'skipped', 'stopped']),
  /** The tool’s output, or why it was not run: what the model gets. */
  result: z.string(),
  startedAt: timeMs.nullable(),
  finishedAt: timeMs.nullable(),
});

export const toolCall = z.object({
  id: z.string(),
  name: z.string(),
  /** As the model wrote them, usually JSON. */
  arguments: z.string(),
  /** Opaque provider state that goes back unchanged (wire contract §1.6). */
  extra: z.record(z.string(), z.unknown()).optional(),
  run: toolRun.optional(),
});

export const messageUsage = z.object({
  promptTokens: z.int(),
  completionTokens: z.int(),
  cachedTokens: z.int(),
  reasoningTokens: z.int(),
});

/** Usage and cost of an answer in several requests. */
export const answerSum = z.object({
  usage: messageUsage.nullable(),
  costUsd: usdAmount.nullable(),
  costSource,
  bill: bill.nullable(),
});

/** `summarised`: how many messages a summary replaced; null: none could be written, and `why`. */
export const room = z.object({ summarised: z.int().nullable(), leftOut: z.int(), why: told.nullable() });

export const message = z.object({
  id,
  conversationId: id,
  parentId: id.nullable(),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  /** Attachments of a user’s message. */
  attachments,
  reasoning: z.string(),
  status: messageStatus,
  /** The requested model; null on the user’s own messages. */
  model: modelId.nullable(),
  /** The model that answered, as the gateway reported it. */
  servedProvider: z.string().nullable(),
  servedModel: z.string().nullable(),
  /** The display name of the model that answered or was asked. */
  modelName: z.string().nullable(),
  simulated: z.boolean(),
  finishReason: z.string().nullable(),
  usage: messageUsage.nullable(),
  costUsd: usdAmount.nullable(),
  costSource,
  /** The cost in its parts, from the gateway’s record. */
  bill: bill.nullable(),
  /** The router’s reason in one line, if it chose. */
  routeReason: z.string().nullable(),
  requestId: z.string().nullable(),
  error: told.extend({ code: z.string(), retryAfterMs: z.int().nullable() }).nullable(),
  toolCalls: z.array(toolCall),
  createdAt: timeMs,
  firstTokenAt: timeMs.nullable(),
  finishedAt: timeMs.nullable(),
  /** Position among the versions (answers to the same message, or edits), from 1. */
  sibling: z.object({ index: z.int(), count: z.int() }),
  /** It continues its parent, an answer: one answer with a request and a bill for each part. */
  continues: z.boolean(),
  /** On continuations: the sum of the answer’s requests through this one. */
  sum: answerSum.nullish(),
  /** What was summarised or left out to fit the context, if the chat summarises automatically. */
  room: room.nullish(),
  /** Its comparison and column, from 0; a retry has the column of what it retries. */
  comparison: z.object({ id, column: z.int().min(0).max(16) }).nullable(),
  /** On a question: the comparison that is shown below it with all columns, instead of one answer. */
  comparing: id.nullable(),
});

/** A scroll position: the topmost visible message, and how many of its pixels are above the viewport. */
export const place = z.object({ messageId: id, offsetPx: z.int().min(0).max(10_000_000) });

/** Consecutive messages of a branch, oldest first; never begins within an answer in several parts. */
export const stretch = z.object({
  messages: z.array(message),
  /** All answers of comparisons shown among them, with retries, in order of arrival. */
  columns: z.array(message),
  hasOlder: z.boolean(),
  hasNewer: z.boolean(),
});

const cursor = z.string().max(200);

export const conversationsContract = {
  /** Newest first; archive and trash only on request. */
  list: oc
    .input(
      z.object({
        limit: z.int().min(1).max(500).default(200),
        cursor: cursor.nullish(),
        view: z.enum(['active', 'archived', 'trash']).default('active'),
        pinned: z.boolean().nullish(),
        /** Of one folder; `none`: in no folder. */
        folderId: id.nullish(),
      }),
    )
    .output(z.object({ conversations: z.array(conversation), nextCursor: cursor.nullable() })),
  /** Saves the scroll position; null: at the end. Emits no topic. */
  keepScrollPosition: oc.input(z.object({ id, place: place.nullable() })).output(z.void()),
  /** The open chat, for the next start; null: a new chat. */
  opened: oc.input(z.object({ id: id.nullable() })).output(z.void()),
  lastOpened: oc.output(z.object({ id: id.nullable() })),
  rename: oc.input(z.object({ id, title: z.string().trim().min(1).max(200) })).output(conversation),
  remove: oc.input(z.object({ id })).output(z.void()),
};

export type ToolCall = z.infer<typeof toolCall>;
export type ToolRun = z.infer<typeof toolRun>;
export type Conversation = z.infer<typeof conversation>;
export type ContextFit = z.infer<typeof room>;
export type ScrollPosition = z.infer<typeof place>;
export type Message = z.infer<typeof message>;
export type AnswerSum = z.infer<typeof answerSum>;
export type Stretch = z.infer<typeof stretch>;
export type CostSource = z.infer<typeof costSource>;
