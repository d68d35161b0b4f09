import type { Message } from '#shared/contract/conversations.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';

/**
 * What the thread shows as one: a message, or an answer with all that goes on with it. Its id is that of the last part,
 * which is the one that is being written; its parent and siblings are those of the first.
 */
export interface Entry extends Message {
  readonly parts: readonly [Message, ...Message[]];
  /** Where several models are compared: an entry for each column, from the left. This one stands for all of them. */
  readonly columns?: readonly Entry[];
}

/** The id that stays while an answer goes on. */
export const headOf = (entry: Entry): string => entry.parts[0].id;

const known = new WeakMap<Message, Entry>();
const knownSections = new WeakMap<Message, Entry>();

const knownRows = new WeakMap<Entry, Entry>();

/**
 * What the thread shows, in its order. `columns`: the answers of the comparisons that are shown. The same messages give the
 * same entry, so that nothing is drawn again.
 */
export function entriesOf(messages: readonly Message[], columns: readonly Message[] = []): Entry[] {
  const entries = joinedEntries(messages);
  if (columns.length === 0) return entries;
  let comparing: string | null = null;
  return entries.map((entry) => {
    if (entry.role === 'user') comparing = entry.comparing;
    return comparing !== null && entry.comparison?.id === comparing ? comparedEntry(entry, columns, comparing) : entry;
  });
}

/** Every answer that an entry shows. */
export const answersOf = (entry: Entry): readonly Entry[] => entry.columns ?? [entry];

/** Whether a message is, or is a part of, what this entry shows. */
export const holds = (entry: Entry, messageId: string): boolean =>
  answersOf(entry).some(({ parts }) => parts.some(({ id }) => id === messageId));

/** Of a column that was retried, what was written last; one column that is left is an answer like any other. */
function comparedEntry(entry: Entry, messages: readonly Message[], comparison: string): Entry {
  const chains = new Map<number, [Message, ...Message[]]>();
  for (const message of messages) {
    if (message.comparison?.id !== comparison) continue;
    const chain = chains.get(message.comparison.column);
    if (!message.continues) chains.set(message.comparison.column, [message]);
    else if (chain?.at(-1)?.id === message.parentId) chain?.push(message);
  }
  const columns = [...chains].sort(([a], [b]) => a - b).map(([, parts]) => entryOf(parts, known));
  if (columns.length < 2) return columns[0] ?? entry;
  const before = knownRows.get(entry);
  if (before?.columns?.length === columns.length && before.columns.every((column, at) => column === columns[at]))
    return before;
  const running = columns.some(({ status }) => status === 'streaming');
  const row: Entry = { ...entry, status: running ? 'streaming' : 'done', columns };
  knownRows.set(entry, row);
  return row;
}

/** Joins answers with what goes on with them. */
function joinedEntries(messages: readonly Message[]): Entry[] {
  const chains: [Message, ...Message[]][] = [];
  for (const message of messages) {
    const last = chains.at(-1);
    if (message.continues && last?.at(-1)?.id === message.parentId) last?.push(message);
    else chains.push([message]);
  }
  return chains.map((parts) => entryOf(parts, known));
}

/** The model called tools and waits for what they say: what follows is said after it, not joined to it. */
const called = ({ finishReason, toolCalls }: Message): boolean => finishReason === 'tool_calls' && toolCalls.length > 0;

/** The stretches of an answer between its tool calls, each one text. An answer without calls is its own only one. */
export function sectionsOf(entry: Entry): Entry[] {
  const sections: [Message, ...Message[]][] = [];
  for (const part of entry.parts) {
    const last = sections.at(-1);
    const before = last?.at(-1);
    if (last && before && !called(before)) last.push(part);
    else sections.push([part]);
  }
  return sections.length === 1 ? [entry] : sections.map((parts) => entryOf(parts, knownSections));
}

function entryOf(parts: [Message, ...Message[]], known: WeakMap<Message, Entry>): Entry {
  const last = parts.at(-1) ?? parts[0];
  const before = known.get(last);
  if (before?.parts.length === parts.length && before.parts.every((part, at) => part === parts[at])) return before;
  const entry: Entry = parts.length === 1 ? { ...last, parts } : { ...last, ...joined(parts), parts };
  known.set(last, entry);
  return entry;
}

function joined(parts: readonly [Message, ...Message[]]): Partial<Message> {
  const [first] = parts;
  return {
    ...{ parentId: first.parentId, sibling: first.sibling, createdAt: first.createdAt, model: first.model },
    firstTokenAt: first.firstTokenAt,
    continues: false,
    text: textOf(parts),
    reasoning: parts.map(({ reasoning }) => reasoning).join(''),
    toolCalls: parts.flatMap(({ toolCalls }) => toolCalls),
    routeReason: first.routeReason,
    usage: usageOf(sentOf(parts)),
    ...costOf(sentOf(parts)),
    bill: billOf(sentOf(parts)),
  };
}

function textOf(parts: readonly Message[]): string {
  return parts.reduce((text, part, at) => {
    const before = parts[at - 1];
    const apart = before && called(before) && text !== '' && part.text !== '';
    return `${text}${apart ? '\n\n' : ''}${part.text}`;
  }, '');
}

/** Refused before it was sent: it used and cost nothing. */
const unsent = new Set(['cap_exceeded', 'context_length_exceeded', 'unsupported_modality']);
const sentOf = (parts: readonly Message[]): readonly Message[] => {
  const sent = parts.filter(({ requestId, error }) => requestId !== null || !error || !unsent.has(error.code));
  return sent.length > 0 ? sent : parts;
};

/** All that was used, where each part said so. */
function usageOf(parts: readonly Message[]): Message['usage'] {
  const total = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
  for (const { usage } of parts) {
    if (!usage) return null;
    total.promptTokens += usage.promptTokens;
    total.completionTokens += usage.completionTokens;
    total.cachedTokens += usage.cachedTokens;
    total.reasoningTokens += usage.reasoningTokens;
  }
  return total;
}

const leastSure: readonly Message['costSource'][] = ['unknown', 'estimated', 'byok', 'billed'];

/** The sum of the bills. One that is not known makes the sum unknown: never a part shown as the whole. */
function costOf(parts: readonly Message[]): Pick<Message, 'costUsd' | 'costSource'> {
  const costSource = leastSure.find((source) => parts.some((part) => part.costSource === source)) ?? 'unknown';
  let sum = 0n;
  for (const { costUsd } of parts) {
    if (costUsd === null) return { costUsd: null, costSource: 'unknown' };
    sum += parseUsd(costUsd);
  }
  return { costUsd: formatUsd(nanoUsd(sum)), costSource };
}

/** The bills' lines, added up by kind, where every part has them. */
function billOf(parts: readonly Message[]): Message['bill'] {
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

/** How much text and reasoning stands before this part in its section. */
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
