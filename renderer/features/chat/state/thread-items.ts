import type { AnswerSum, Citation, ComparisonTotal, Message } from '#shared/contract/chat/conversations.ts';

/**
 * A row of the thread: a message, or an answer with its continuations. Its id is that of the last part, which may be
 * running; its parent and siblings are those of the first.
 */
export interface ThreadItem extends Message {
  readonly parts: readonly [Message, ...Message[]];
  /** The columns of a comparison from the left; this item represents them. */
  readonly columns?: readonly ThreadItem[];
  /** The total cost of the columns. */
  readonly compared?: ComparisonTotal | undefined;
}

/** The id that stays the same while an answer is continued. */
export const getHead = (item: ThreadItem): string => item.parts[0].id;

const known = new WeakMap<Message, ThreadItem>();
const knownSections = new WeakMap<Message, ThreadItem>();

const knownRows = new WeakMap<ThreadItem, ThreadItem>();

/**
 * Returns the rows of the thread, in order. `columns` holds the answers of the comparisons shown, and `totals` their
 * costs. Unchanged messages give the same row object, which React then doesn't render again.
 */
export function getThreadItems(
  messages: readonly Message[],
  columns: readonly Message[] = [],
  totals: readonly ComparisonTotal[] = [],
): ThreadItem[] {
  const items = joinedItems(messages);
  if (columns.length === 0) return items;
  let comparing: string | null = null;
  return items.map((item) => {
    if (item.role === 'user') comparing = item.comparing;
    return comparing !== null && item.comparison?.id === comparing
      ? comparedItem(
          item,
          columns.filter(({ comparison }) => comparison?.id === comparing),
          totals.find(({ id }) => id === comparing),
        )
      : item;
  });
}

/** Returns all answers of a row. */
export const getAnswers = (item: ThreadItem): readonly ThreadItem[] => item.columns ?? [item];

/** Whether a row shows this message. */
export const holds = (item: ThreadItem, messageId: string): boolean =>
  getAnswers(item).some(({ parts }) => parts.some(({ id }) => id === messageId));

/**
 * Builds the row of a comparison. A retried column shows its last answer, and a single column becomes a plain answer.
 */
function comparedItem(item: ThreadItem, messages: readonly Message[], compared?: ComparisonTotal): ThreadItem {
  const chains = new Map<number, [Message, ...Message[]]>();
  for (const message of messages) {
    const column = message.comparison?.column ?? 0;
    const chain = chains.get(column);
    if (!message.continues) chains.set(column, [message]);
    else if (chain?.at(-1)?.id === message.parentId) chain?.push(message);
  }
  const columns = [...chains].sort(([a], [b]) => a - b).map(([, parts]) => toEntry(parts, known));
  if (columns.length < 2) return columns[0] ?? item;
  const before = knownRows.get(item);
  const same = before?.columns?.length === columns.length && before.compared === compared;
  if (same && before.columns.every((column, index) => column === columns[index])) return before;
  const running = columns.some(({ status }) => status === 'streaming');
  const row: ThreadItem = { ...item, status: running ? 'streaming' : 'done', columns, compared };
  knownRows.set(item, row);
  return row;
}

/** Merges answers with their continuations. */
function joinedItems(messages: readonly Message[]): ThreadItem[] {
  const chains: [Message, ...Message[]][] = [];
  for (const message of messages) {
    const last = chains.at(-1);
    if (message.continues && last?.at(-1)?.id === message.parentId) last?.push(message);
    else chains.push([message]);
  }
  return chains.map((parts) => toEntry(parts, known));
}

/** Whether the model called tools. The continuation then follows the tools' results and isn't merged with this part. */
const called = ({ finishReason, toolCalls }: Message): boolean => finishReason === 'tool_calls' && toolCalls.length > 0;

/** Returns the sections of an answer between its tool calls; each section is one text. */
export function getSections(item: ThreadItem): ThreadItem[] {
  const sections: [Message, ...Message[]][] = [];
  for (const part of item.parts) {
    const last = sections.at(-1);
    const before = last?.at(-1);
    if (last && before && !called(before)) last.push(part);
    else sections.push([part]);
  }
  return sections.length === 1 ? [item] : sections.map((parts) => toEntry(parts, knownSections));
}

function toEntry(parts: [Message, ...Message[]], known: WeakMap<Message, ThreadItem>): ThreadItem {
  const last = parts.at(-1) ?? parts[0];
  const before = known.get(last);
  if (before?.parts.length === parts.length && before.parts.every((part, index) => part === parts[index]))
    return before;
  const item: ThreadItem = parts.length === 1 ? { ...last, parts } : { ...last, ...joined(parts), parts };
  known.set(last, item);
  return item;
}

function joined(parts: readonly [Message, ...Message[]]): Partial<Message> {
  const [first] = parts;
  return {
    parentId: first.parentId,
    sibling: first.sibling,
    createdAt: first.createdAt,
    model: first.model,
    firstTokenAt: first.firstTokenAt,
    thoughtMs: getThought(parts),
    continues: false,
    text: getText(parts),
    reasoning: parts.map(({ reasoning }) => reasoning).join(''),
    toolCalls: parts.flatMap(({ toolCalls }) => toolCalls),
    citations: getCitations(parts),
    attachments: parts.flatMap(({ attachments }) => attachments),
    routeReason: first.routeReason,
    ...(parts.at(-1)?.sum ?? unknownSum),
  };
}

function getThought(parts: readonly Message[]): number | null {
  const known = parts.flatMap(({ thoughtMs }) => thoughtMs ?? []);
  return known.length === 0 ? null : known.reduce((sum, ms) => sum + ms, 0);
}

function getText(parts: readonly Message[]): string {
  return parts.reduce((text, part, index) => {
    const before = parts[index - 1];
    const apart = before && called(before) && text !== '' && part.text !== '';
    return `${text}${apart ? '\n\n' : ''}${part.text}`;
  }, '');
}

/** Shifts the positions of citations from their own part to the joined text. */
const getCitations = (parts: readonly Message[]): Citation[] =>
  parts.flatMap(({ citations = [], text }, index) => {
    if (citations.length === 0) return [];
    const before = getText(parts.slice(0, index + 1)).length - text.length;
    return citations.map((cited) => ({ ...cited, from: cited.from + before, to: cited.to + before }));
  });

/** The usage and cost of an answer whose last part is still running. */
const unknownSum: AnswerSum = { usage: null, costUsd: null, costSource: 'unknown', bill: null };

/** Returns the length of the text and the reasoning before this part in its section. */
export function lengthBefore(messages: readonly Message[], id: string): { text: number; reasoning: number } {
  const before = { text: 0, reasoning: 0 };
  const find = (wanted: string | null) => messages.find((message) => message.id === wanted);
  for (let part = find(id); part?.continues; ) {
    part = find(part.parentId);
    if (!part || called(part)) break;
    before.text += part.text.length;
    before.reasoning += part.reasoning.length;
  }
  return before;
}
