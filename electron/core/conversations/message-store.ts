import { sql } from 'kysely';
import { searchesIn } from '#shared/bill-lines.ts';
import type { AnswerSum, Message } from '#shared/contract/chat/conversations.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Db } from '../storage/database/db.ts';
import {
  type AnswerPatch,
  type MessageRow,
  type NumberedRow,
  toColumns,
  toMessage,
} from '../storage/database/message-row.ts';
import { answerDown, answerUp, branchDown, branchUp, comparedRows, leafBelow, wholeBranch } from './branch-store.ts';

/** Returns the usage and cost of all requests of one answer. If one of them is unknown, the sum is unknown too. */
function getSum(answer: readonly Message[]): AnswerSum {
  const sent = answer.filter(({ requestId, error }) => requestId !== null || !error || !unsent.has(error.code));
  const parts = sent.length > 0 ? sent : answer;
  return { usage: getUsage(parts), ...getCost(parts), bill: getBill(parts) };
}

/** Codes of requests that were refused before they were sent, so they have no usage and no cost. */
const unsent = new Set(['cap_exceeded', 'context_length_exceeded', 'unsupported_modality']);

/** Adds to each continuation the sum of its answer’s requests so far. `messages` are oldest first. */
export function withSums(messages: readonly Message[]): Message[] {
  const answers = new Map<string, readonly Message[]>();
  return messages.map((message) => {
    const before = message.continues ? answers.get(message.parentId ?? '') : undefined;
    const answer = [...(before ?? []), message];
    answers.set(message.id, answer);
    return before ? { ...message, sum: getSum(answer) } : message;
  });
}

/** Returns the total usage, or null if a part has none. */
function getUsage(parts: readonly Message[]): Message['usage'] {
  const total = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
  let imageTokens = 0;
  for (const { usage } of parts) {
    if (!usage) return null;
    total.promptTokens += usage.promptTokens;
    total.completionTokens += usage.completionTokens;
    total.cachedTokens += usage.cachedTokens;
    total.reasoningTokens += usage.reasoningTokens;
    imageTokens += usage.imageTokens ?? 0;
  }
  return { ...total, ...(imageTokens > 0 ? { imageTokens } : {}) };
}

const minSure: readonly Message['costSource'][] = ['unknown', 'estimated', 'byok', 'billed', 'uncharged'];

/** Returns the total cost. An unknown part makes it unknown, because a partial sum would look like the total. */
function getCost(parts: readonly Message[]): Pick<Message, 'costUsd' | 'costSource'> {
  const costSource = minSure.find((source) => parts.some((part) => part.costSource === source)) ?? 'unknown';
  let sum = 0n;
  for (const { costUsd } of parts) {
    if (costUsd === null) return { costUsd: null, costSource: 'unknown' };
    sum += parseUsd(costUsd);
  }
  return { costUsd: formatUsd(nanoUsd(sum)), costSource };
}

/** Adds up the cost lines by kind. Null if a part has none. */
function getBill(parts: readonly Message[]): Message['bill'] {
  type Line = NonNullable<Message['bill']>['lines'][number];
  const lines = new Map<Line['kind'], Line>();
  for (const { bill } of parts) {
    if (!bill) return null;
    for (const line of bill.lines) {
      const before = lines.get(line.kind);
      const sum = formatUsd(nanoUsd(parseUsd(before?.usd ?? '0') + parseUsd(line.usd)));
      const tokens = before === undefined ? line.tokens : (before.tokens ?? 0) + (line.tokens ?? 0);
      lines.set(line.kind, { kind: line.kind, tokens, usd: sum });
    }
  }
  return { lines: [...lines.values()] };
}

export interface NewQuestion {
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}
export interface NewAnswer {
  readonly id: string;
  readonly model: string;
  readonly modelName: string | null;
  readonly simulated: boolean;
  /** The comparison and the column that the answer belongs to. */
  readonly comparison?: Message['comparison'];
  /** The answer is one of several columns, so the shown branch stays. */
  readonly aside?: boolean;
}

type SavedWords = Pick<Message, 'id' | 'text' | 'reasoning'>;

/** Consecutive messages of a branch, oldest first. */
export interface StoredPage {
  readonly messages: Message[];
  /** The answers of the comparisons that are shown among these messages. */
  readonly columns: Message[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}

async function parentRow(db: Db, row: MessageRow | undefined): Promise<NumberedRow | null> {
  if (!row || row.parent_id === null) return null;
  const rows = await branchUp(db, row.id, 1);
  return rows.length > 1 ? (rows[0] ?? null) : null;
}

/** Stores messages. They form a tree per conversation by `parent_id`, and siblings are ordered by arrival. */
export function messageStore(db: Db) {
  return {
    async find(id: string): Promise<Message | null> {
      const row = (await branchUp(db, id, 0))[0];
      return row ? toMessage(row) : null;
    },

    /** Returns the parent of a message, if it has one. */
    async above({ id, parentId }: Pick<Message, 'id' | 'parentId'>): Promise<Message | null> {
      if (parentId === null) return null;
      const rows = await branchUp(db, id, 1);
      return rows[1] && rows[0] ? toMessage(rows[0]) : null;
    },

    /** Returns a message’s parent and the message, as far as they exist. */
    withParent: async (id: string): Promise<Message[]> => (await branchUp(db, id, 1)).map(toMessage),

    /** Returns the request of an answer and the account that paid (`source`). */
    async getRequest(id: string): Promise<{ requestId: string | null; source: string | null } | null> {
      const row = await db
        .selectFrom('messages')
        .select(['request_id', 'source'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row ? { requestId: row.request_id, source: row.source } : null;
    },

    async firstAnswerTo(questionId: string): Promise<string | null> {
      const row = await db
        .selectFrom('messages')
        .select('id')
        .where('parent_id', '=', questionId)
        .where('role', '=', 'assistant')
        .where('deletion', 'is', null)
        .orderBy('seq')
        .executeTakeFirst();
      return row?.id ?? null;
    },

    /** Adds the sum of the answer so far to a continuation. Returns any other message unchanged. */
    async withSum(message: Message): Promise<Message> {
      if (!message.continues || message.parentId === null) return message;
      const before = (await answerUp(db, message.parentId)).map(toMessage);
      return withSums([...before, message]).at(-1) ?? message;
    },

    /** Returns this message and its continuations, with their sums. */
    async goingOnWith(id: string): Promise<Message[]> {
      const above = (await answerUp(db, id)).slice(0, -1);
      const below = await answerDown(db, id);
      return withSums([...above, ...below].map(toMessage)).slice(above.length);
    },

    /** Returns the branch that ends at this message, oldest first. Siblings aren't counted, which is faster. */
    async branch(conversationId: string, leafId: string | null): Promise<Message[]> {
      const rows = leafId === null ? [] : await wholeBranch(db, leafId);
      return rows.filter((row) => row.conversation_id === conversationId).map(toMessage);
    },

    /**
     * Returns the messages around one of a branch. A page never begins in the middle of an answer that has several
     * parts.
     */
    async around(messageId: string, before: number, after: number): Promise<StoredPage> {
      const up = await branchUp(db, messageId, before);
      const down = await branchDown(db, messageId, after + 1);
      // A page never begins with a column either, because its question has the information how the comparison is shown.
      let above = await parentRow(db, up[0]);
      while (above && (up[0]?.continues || up[0]?.comparison)) {
        up.unshift(above);
        above = await parentRow(db, above);
      }
      const rows = [...up, ...down.slice(0, after)];
      const comparisons = rows.flatMap(({ comparing }) => comparing ?? []);
      const compared = await comparedRows(db, rows[0]?.conversation_id ?? '', comparisons);
      return {
        messages: rows.map(toMessage),
        columns: compared.map(toMessage),
        hasOlder: above !== null,
        hasNewer: down.length > after,
      };
    },

    /** Returns all answers of a comparison, in order of arrival. */
    compared: async (conversationId: string, comparison: string): Promise<Message[]> =>
      (await comparedRows(db, conversationId, [comparison])).map(toMessage),

    /** Returns the answer that each column of a comparison shows, from the left. */
    async columns(conversationId: string, comparison: string): Promise<ColumnParts[]> {
      const rows = await comparedRows(db, conversationId, [comparison]);
      return [...getColumns(rows.map(toMessage))].toSorted(([a], [b]) => a - b).map(([, parts]) => parts);
    },

    leafBelow: (id: string): Promise<string> => leafBelow(db, id),

    /** Saves changes of an answer in one commit. */
    async update(id: string, patch: AnswerPatch): Promise<void> {
      await db.updateTable('messages').set(toColumns(patch)).where('id', '=', id).execute();
    },

    /**
     * Marks the running answers of the previous process as `interrupted`, with the text they had. Returns how many
     * there were.
     */
    async interruptStreaming(now: number, getWords: (saved: SavedWords) => Omit<SavedWords, 'id'>): Promise<number> {
      const cut = await db
        .selectFrom('messages')
        .select(['id', 'text', 'reasoning'])
        .where('status', '=', 'streaming')
        .execute();
      for (const saved of cut) {
        const end = { ...getWords(saved), status: 'interrupted', finished_at: now } as const;
        await db.updateTable('messages').set(end).where('id', '=', saved.id).execute();
      }
      return cut.length;
    },

    /**
     * Returns how long the latest answers of a model in other chats were, oldest first: their completion tokens, and
     * how many of these were for images. Each comes with the first `opening` characters of its question and the
     * question's length.
     */
    async answerLengths(served: string, exceptIn: string | null, maxAnswers: number, opening: number) {
      const slash = served.indexOf('/');
      const rows = await db
        .selectFrom('messages')
        .leftJoin('messages as asked', 'asked.id', 'messages.parent_id')
        .select([
          sql<number | null>`json_extract(messages.usage, '$.completionTokens')`.as('tokens'),
          sql<number | null>`json_extract(messages.usage, '$.imageTokens')`.as('images'),
          sql<string | null>`substr(asked.text, 1, ${opening})`.as('question'),
          sql<number | null>`length(asked.text)`.as('length'),
        ])
        .where('messages.served_provider', '=', served.slice(0, slash))
        .where('messages.served_model', '=', served.slice(slash + 1))
        .where('messages.status', '=', 'done')
        .where('messages.conversation_id', 'is not', exceptIn)
        .orderBy('messages.seq', 'desc')
        .limit(maxAnswers)
        .execute();
      return rows
        .flatMap(({ tokens, images, question, length }) =>
          tokens === null
            ? []
            : {
                completionTokens: tokens,
                imageTokens: images ?? 0,
                question: question ?? '',
                questionLength: length ?? 0,
              },
        )
        .reverse();
    },

    /**
     * Returns how many tokens a web search of this model usually finds, and with how many searches. It's the median of
     * the latest answers that were allowed to search.
     */
    async usualSearch(served: string, maxAnswers: number): Promise<{ foundTokens: number; searches: number } | null> {
      const slash = served.indexOf('/');
      const rows = await db
        .selectFrom((latest) =>
          latest
            .selectFrom('messages')
            .select(['searched_tokens', 'usage', 'bill'])
            .where('served_provider', '=', served.slice(0, slash))
            .where('served_model', '=', served.slice(slash + 1))
            .where('status', '=', 'done')
            .orderBy('seq', 'desc')
            .limit(maxAnswers)
            .as('latest'),
        )
        .selectAll()
        .where('searched_tokens', 'is not', null)
        .where('usage', 'is not', null)
        .execute();
      const found = rows.map(({ searched_tokens, usage, bill }) => ({
        foundTokens: Math.max(0, JSON.parse(usage ?? '{}').promptTokens - (searched_tokens ?? 0)),
        searches: searchesIn(bill === null ? null : JSON.parse(bill)),
      }));
      return found.toSorted((a, b) => a.foundTokens - b.foundTokens)[Math.floor(found.length / 2)] ?? null;
    },

    /** Returns the ended answers whose cost must still be looked up. */
    async costOpen(): Promise<MessageRow[]> {
      return db
        .selectFrom('messages')
        .selectAll()
        .where('cost_open', '=', 1)
        .where('status', '!=', 'streaming')
        .orderBy('seq')
        .execute();
    },
  };
}

export type MessageStore = ReturnType<typeof messageStore>;

/** The answer of a column, followed by its continuations. */
export type ColumnParts = readonly [Message, ...Message[]];

/**
 * Returns the answer that each column of a comparison shows, by the column's number. `answers` are in order of arrival:
 * a retry replaces the answer of its column. A continuation counts only if its answer is still shown.
 */
export function getColumns(answers: readonly Message[]): Map<number, ColumnParts> {
  const columns = new Map<number, ColumnParts>();
  for (const answer of answers) {
    if (!answer.comparison) continue;
    const { column } = answer.comparison;
    const before = columns.get(column);
    if (!answer.continues) columns.set(column, [answer]);
    else if (before?.at(-1)?.id === answer.parentId) columns.set(column, [...before, answer]);
  }
  return columns;
}
