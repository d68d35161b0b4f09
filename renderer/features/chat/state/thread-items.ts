import type { AnswerSum, Citation, ComparisonTotal, Message } from '#shared/contract/chat/conversations.ts';

/**
 * A row of the thread: a message, or an answer with its continuations. Its id is that of the last part, which may be
 * running; its parent and siblings are those of the first.
 */
export interface ThreadItem extends Message {
  readonly parts: readonly [Message, ...Message[]];
  /** The columns of a comparison from the left; this item represents them. */
  readonly columns?: readonly ThreadItem[];
  /** What they cost together. */
  readonly compared?: ComparisonTotal | undefined;
}

/** The id that stays the same while an answer is continued. */
export const getHead = (item: ThreadItem): string => item.parts[0].id;

const known = new WeakMap<Message, ThreadItem>();
const knownSections = new WeakMap<Message, ThreadItem>();

const knownRows = new WeakMap<ThreadItem, ThreadItem>();

/**
 * The rows of the thread, in order. `columns`: the answers of comparisons that are shown, `totals`: their costs. Unchanged
 * messages give the same row object, so that it is not rendered again.
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

/** All answers of a row. */
export const getAnswers = (item: ThreadItem): readonly ThreadItem[] => item.columns ?? [item];

/** Whether a row shows this message. */
export const holds = (item: ThreadItem, messageId: string): boolean =>
  getAnswers(item).some(({ parts }) => parts.some(({ id }) => id === messageId));

/** Of a retried column the last answer; a single column is a plain answer. */
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
  if (same && before.columns.every((column, at) => column === columns[at])) return before;
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

/** The model called tools: its continuation follows their results and is not merged. */
const called = ({ finishReason, toolCalls }: Message): boolean => finishReason === 'tool_calls' && toolCalls.length > 0;

/** The sections of an answer between its tool calls, each one text. */
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
  if (before?.parts.length === parts.length && before.parts.every((part, at) => part === parts[at])) return before;
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
  return parts.reduce((text, part, at) => {
    const before = parts[at - 1];
    const apart = before && called(before) && text !== '' && part.text !== '';
    return `${text}${apart ? '\n\n' : ''}${part.text}`;
  }, '');
}

/** Places in a part become places in the whole text. */
const getCitations = (parts: readonly Message[]): Citation[] =>
  parts.flatMap(({ citations = [], text }, at) => {
    if (citations.length === 0) return [];
    const before = getText(parts.slice(0, at + 1)).length - text.length;
    return citations.map((cited) => ({ ...cited, from: cited.from + before, to: cited.to + before }));
  });

/** While the last part is running. */
const unknownSum: AnswerSum = { usage: null, costUsd: null, costSource: 'unknown', bill: null };

/** Length of text and reasoning before this part in its section. */
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
