import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { attachment } from '../common/attachments.ts';
import { bill } from '../common/bills.ts';
import { id, modelId, problemText, timeMs } from '../common/fields.ts';
import { maxCitations } from '../common/limits.ts';

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
  /** An answer has ended that no window showed. */
  unread: z.boolean(),
  folderId: id.nullable(),
  tags: z.array(z.string()),
  pinned: z.boolean(),
  archived: z.boolean(),
  /** Time of its move to the trash, or null. */
  trashedAt: timeMs.nullable(),
  /**
   * Not kept: in no list, search, backup or export, and removed when it is left or the app ends. What it cost stays
   * counted.
   */
  temporary: z.boolean(),
});

export const messageStatus = z.enum(['streaming', 'done', 'error', 'cancelled', 'interrupted']);

/**
 * Where a cost comes from. `billed`: the ledger of the gateway, by tokens that were counted. `estimated`: by tokens that were
 * not. `byok`: the list price, which the provider bills to the person's own key. `uncharged`: it was refused, failed or was
 * never sent, and nothing was charged. `unknown` is never shown as $0.
 */
export const costSource = z.enum(['billed', 'estimated', 'byok', 'uncharged', 'unknown']);

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

/** A page of the web, and the piece of an answer's text that rests on it, in UTF-16 units. */
export const citation = z.object({
  url: z.string().max(2_048),
  title: z.string().max(300),
  from: z.int().nonnegative(),
  to: z.int().nonnegative(),
});

export const messageUsage = z.object({
  promptTokens: z.int(),
  completionTokens: z.int(),
  cachedTokens: z.int(),
  reasoningTokens: z.int(),
  /** The part of `completionTokens` that is images. */
  imageTokens: z.int().optional(),
});

/** Usage and cost of an answer in several requests. */
export const answerSum = z.object({
  usage: messageUsage.nullable(),
  costUsd: usdAmount.nullable(),
  costSource,
  bill: bill.nullable(),
});

/** `summarised`: how many messages a summary replaced; null: none could be written, and `why`. */
export const room = z.object({ summarised: z.int().nullable(), leftOut: z.int(), why: problemText.nullable() });

/** Why an answer failed: our sentence, and what the provider itself said, without keys. */
export const messageError = problemText.extend({
  code: z.string(),
  retryAfterMs: z.int().nullable(),
  /** The HTTP status that the gateway answered with. */
  status: z.int().nullish(),
  /** The provider that caused it; of answers of earlier versions its name. */
  provider: z.string().nullish(),
  providerError: z.object({ status: z.int(), code: z.string().nullable(), message: z.string().nullable() }).nullish(),
});

export const message = z.object({
  id,
  conversationId: id,
  parentId: id.nullable(),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  /** Attachments of a user’s message; of an answer, the images that the model made. */
  attachments: z.array(attachment),
  reasoning: z.string(),
  status: messageStatus,
  /** The requested model; null on the user’s own messages. */
  model: modelId.nullable(),
  /** The model that answered, as the gateway reported it. */
  servedProvider: z.string().nullable(),
  servedModel: z.string().nullable(),
  /** The name of the model that answered or was asked, or its id; null on own messages, and where it is unknown. */
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
  error: messageError.nullable(),
  toolCalls: z.array(toolCall),
  /** What a search of the web by the provider found for it. */
  citations: z.array(citation).max(maxCitations).optional(),
  createdAt: timeMs,
  firstTokenAt: timeMs.nullable(),
  /** From the first word of the reasoning to the first of the text, or to the end; null: no reasoning, or unfinished. */
  thoughtMs: z.int().nullable(),
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
export const scrollPosition = z.object({ messageId: id, offsetPx: z.int().min(0).max(10_000_000) });

/** What a comparison cost: of each column the shown answer, if it has ended. */
export const comparisonTotal = z.object({
  id,
  /** Null: no column was paid with money. */
  usd: usdAmount.nullable(),
  /** Null: no column was paid with test credits. */
  testCreditsUsd: usdAmount.nullable(),
  /** Columns with an unknown cost, which are in no sum. */
  unknown: z.int(),
  /** The column that cost least, once all have ended; null if that is not certain. */
  cheapest: z.int().nullable(),
});

/** Consecutive messages of a branch, oldest first; never begins within an answer in several parts. */
export const threadPage = z.object({
  messages: z.array(message),
  /** All answers of comparisons shown among them, with retries, in order of arrival. */
  columns: z.array(message),
  /** A total for each of these comparisons. */
  comparisons: z.array(comparisonTotal),
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
  keepScrollPosition: oc.input(z.object({ id, scrollPosition: scrollPosition.nullable() })).output(z.void()),
  /**
   * The open chat, for the next start; null: a new chat. Returns the temporary chats that were left and are removed a
   * minute from now, unless one is opened again.
   */
  opened: oc.input(z.object({ id: id.nullable() })).output(z.object({ leaving: z.array(id) })),
  lastOpened: oc.output(z.object({ id: id.nullable() })),
  rename: oc.input(z.object({ id, title: z.string().trim().min(1).max(200) })).output(conversation),
  /** A new conversation from a copy of the branch up to this message, with settings, title, folder and tags. */
  fork: oc.input(z.object({ messageId: id })).output(conversation),
  /** A temporary chat is kept from now on. */
  keep: oc.input(z.object({ id })).output(z.void()),
  remove: oc.input(z.object({ id })).output(z.void()),
};

export type Citation = z.infer<typeof citation>;
export type ToolCall = z.infer<typeof toolCall>;
export type ToolRun = z.infer<typeof toolRun>;
export type Conversation = z.infer<typeof conversation>;
export type ContextFit = z.infer<typeof room>;
export type ScrollPosition = z.infer<typeof scrollPosition>;
export type Message = z.infer<typeof message>;
export type AnswerSum = z.infer<typeof answerSum>;
export type ComparisonTotal = z.infer<typeof comparisonTotal>;
export type ThreadPage = z.infer<typeof threadPage>;
export type CostSource = z.infer<typeof costSource>;
