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
  /** A tool call waits for the user's decision. */
  waiting: z.boolean(),
  /** An answer has ended that no window has shown yet. */
  unread: z.boolean(),
  folderId: id.nullable(),
  tags: z.array(z.string()),
  pinned: z.boolean(),
  archived: z.boolean(),
  /** When it was moved to the trash, or null. */
  trashedAt: timeMs.nullable(),
  /**
   * The conversation is in no list, search, backup or export, and is removed when the user leaves it or quits the app.
   * Its cost still counts.
   */
  temporary: z.boolean(),
});

export const messageStatus = z.enum(['streaming', 'done', 'error', 'cancelled', 'interrupted']);

/**
 * Where a cost comes from. `billed`: the gateway charged it for counted tokens. `estimated`: some tokens were estimated,
 * not counted. `byok`: the list price, which the provider charges to the user's own key. `uncharged`: the request was
 * refused, failed or never sent, so nothing was charged. `unknown` is never shown as $0.
 */
export const costSource = z.enum(['billed', 'estimated', 'byok', 'uncharged', 'unknown']);

/** The outcome of a tool call. Only `running` calls run, and none starts without a decision. */
export const toolRun = z.object({
  /** The server of the tool; empty if no such tool exists. */
  server: z.string(),
  title: z.string(),
  /**
   * `waiting`: for the user's decision. `skipped`: a limit was reached. `stopped`: the answer ended while the call
   * waited or ran.
   */
  state: z.enum(['waiting', 'running', 'done', 'failed', 'denied', 'skipped', 'stopped']),
  /** The tool's output, or why it wasn't run. The model receives this text. */
  result: z.string(),
  startedAt: timeMs.nullable(),
  finishedAt: timeMs.nullable(),
});

export const toolCall = z.object({
  id: z.string(),
  name: z.string(),
  /** As the model wrote them, usually JSON. */
  arguments: z.string(),
  /** Opaque data of the provider that must be sent back unchanged (wire contract §1.6). */
  extra: z.record(z.string(), z.unknown()).optional(),
  run: toolRun.optional(),
});

/** A web page, and the range of the answer's text that cites it, in UTF-16 units. */
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

/** Usage and cost of an answer that took several requests. */
export const answerSum = z.object({
  usage: messageUsage.nullable(),
  costUsd: usdAmount.nullable(),
  costSource,
  bill: bill.nullable(),
});

/**
 * `summarised`: how many messages a summary replaced. Null if no summary could be written; `why` then explains the
 * reason.
 */
export const room = z.object({ summarised: z.int().nullable(), leftOut: z.int(), why: problemText.nullable() });

/** Why an answer failed: our sentence, and the provider's own message without any keys. */
export const messageError = problemText.extend({
  code: z.string(),
  retryAfterMs: z.int().nullable(),
  /** The HTTP status of the gateway's answer. */
  status: z.int().nullish(),
  /** The provider that caused the error. Answers of earlier app versions have its display name here. */
  provider: z.string().nullish(),
  providerError: z.object({ status: z.int(), code: z.string().nullable(), message: z.string().nullable() }).nullish(),
});

export const message = z.object({
  id,
  conversationId: id,
  parentId: id.nullable(),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  /** The attachments of a user's message, or the images that the model made for an answer. */
  attachments: z.array(attachment),
  reasoning: z.string(),
  status: messageStatus,
  /** The requested model. Null on the user's messages. */
  model: modelId.nullable(),
  /** The provider and model that answered, as the gateway reported them. */
  servedProvider: z.string().nullable(),
  servedModel: z.string().nullable(),
  /**
   * The display name, or else the id, of the model that answered or was asked. Null on the user's messages and where it
   * is unknown.
   */
  modelName: z.string().nullable(),
  simulated: z.boolean(),
  finishReason: z.string().nullable(),
  usage: messageUsage.nullable(),
  costUsd: usdAmount.nullable(),
  costSource,
  /** The cost in its parts, from the gateway's record. */
  bill: bill.nullable(),
  /** The router's reason in one line, if the router chose the model. */
  routeReason: z.string().nullable(),
  requestId: z.string().nullable(),
  error: messageError.nullable(),
  toolCalls: z.array(toolCall),
  /** Pages that the provider's web search found for this answer. */
  citations: z.array(citation).max(maxCitations).optional(),
  createdAt: timeMs,
  firstTokenAt: timeMs.nullable(),
  /**
   * From the first word of the reasoning to the first word of the text, or to the end. Null if there is no reasoning or
   * it isn't finished.
   */
  thoughtMs: z.int().nullable(),
  finishedAt: timeMs.nullable(),
  /** Position among the siblings, from 1: answers to the same message, or edits of it. */
  sibling: z.object({ index: z.int(), count: z.int() }),
  /**
   * This message continues its parent, which is an answer. Both are shown as one answer; each part has its own request
   * and cost.
   */
  continues: z.boolean(),
  /** On continuations: usage and cost of the answer's requests up to and including this one. */
  sum: answerSum.nullish(),
  /** What was summarised or left out to fit the context, if the chat summarises automatically. */
  room: room.nullish(),
  /** The comparison that the answer belongs to, and its column from 0. A retry has the same column. */
  comparison: z.object({ id, column: z.int().min(0).max(16) }).nullable(),
  /** On a question: the comparison whose columns are shown below it instead of one answer. */
  comparing: id.nullable(),
});

/** The topmost visible message, and how many pixels of it are scrolled out above the viewport. */
export const scrollPosition = z.object({ messageId: id, offsetPx: z.int().min(0).max(10_000_000) });

/** What a comparison cost: the sum of each column's shown answer that has ended. */
export const comparisonTotal = z.object({
  id,
  /** Null if no column was paid with money. */
  usd: usdAmount.nullable(),
  /** Null if no column was paid with test credits. */
  testCreditsUsd: usdAmount.nullable(),
  /** Columns with an unknown cost, which no sum includes. */
  unknown: z.int(),
  /** The cheapest column once all have ended. Null if it can't be determined. */
  cheapest: z.int().nullable(),
});

/** Consecutive messages of a branch, oldest first. A page never begins within an answer in several parts. */
export const threadPage = z.object({
  messages: z.array(message),
  /** All answers of the comparisons on this page, including retries, in order of arrival. */
  columns: z.array(message),
  /** The total of each of these comparisons. */
  comparisons: z.array(comparisonTotal),
  hasOlder: z.boolean(),
  hasNewer: z.boolean(),
});

const cursor = z.string().max(200);

export const conversationsContract = {
  /** Newest first. The archive and the trash are included only on request. */
  list: oc
    .input(
      z.object({
        limit: z.int().min(1).max(500).default(200),
        cursor: cursor.nullish(),
        view: z.enum(['active', 'archived', 'trash']).default('active'),
        pinned: z.boolean().nullish(),
        /** The conversations of one folder; `none` stands for those in no folder. */
        folderId: id.nullish(),
      }),
    )
    .output(z.object({ conversations: z.array(conversation), nextCursor: cursor.nullable() })),
  /** Saves the scroll position; null means the end. Reports no change to `changes.watch`. */
  keepScrollPosition: oc.input(z.object({ id, scrollPosition: scrollPosition.nullable() })).output(z.void()),
  /**
   * Records which chat is open, for the next start; null is a new chat. Returns the temporary chats that were left:
   * they are removed in a minute unless the user opens them again.
   */
  opened: oc.input(z.object({ id: id.nullable() })).output(z.object({ leaving: z.array(id) })),
  lastOpened: oc.output(z.object({ id: id.nullable() })),
  rename: oc.input(z.object({ id, title: z.string().trim().min(1).max(200) })).output(conversation),
  /** Creates a conversation from a copy of the branch up to this message, with its settings, title, folder and tags. */
  fork: oc.input(z.object({ messageId: id })).output(conversation),
  /** Makes a temporary chat permanent. */
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
