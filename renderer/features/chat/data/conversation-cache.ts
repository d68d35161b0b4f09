import type { ThreadSnapshot } from '#shared/contract/chat/chat.ts';
import type {
  ComparisonTotal,
  Conversation,
  Message,
  ScrollPosition,
  ThreadPage,
} from '#shared/contract/chat/conversations.ts';
import type { ConversationTotal } from '#shared/contract/common/bills.ts';
import { maxAtOnce } from '#shared/contract/common/limits.ts';

/** A section of the shown branch, with its conversation. */
export interface Thread {
  /** Identifies the snapshot that this section began with; the next snapshot replaces everything that was loaded. */
  readonly snapshot: string;
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
  /** Answers of the comparisons among these messages. */
  readonly columns: readonly Message[];
  /** Totals of these comparisons, and of some that were shown before. */
  readonly comparisons: readonly ComparisonTotal[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  readonly scrollPosition: ScrollPosition | null;
  readonly runningIds: readonly string[];
  /** The cost of the conversation. */
  readonly total: ConversationTotal;
}

export function getThread({
  readerId,
  seq,
  conversation,
  messages,
  columns,
  comparisons,
  hasOlder,
  hasNewer,
  scrollPosition,
  answers,
  total,
}: ThreadSnapshot): Thread {
  const running = answers.filter(({ status }) => status === 'streaming').map(({ id }) => id);
  const snapshot = `${readerId} ${seq}`;
  const shown = { messages, columns, comparisons, hasOlder, hasNewer };
  return { snapshot, conversation, ...shown, scrollPosition, runningIds: running, total };
}

/** Returns the thread with these totals, which replace older totals of the same comparisons. */
export function withTotals(thread: Thread, totals: readonly ComparisonTotal[] = []): Thread {
  if (totals.length === 0) return thread;
  const others = thread.comparisons.filter(({ id }) => !totals.some((total) => total.id === id));
  return { ...thread, comparisons: [...others, ...totals] };
}

/** Returns the thread with a new message, which replaces everything below its parent. */
export function withAdded(thread: Thread, message: Message): Thread {
  if (message.conversationId !== thread.conversation.id) return thread;
  // A copy that is already here was read later than the event was sent.
  const known = [...thread.messages, ...thread.columns].find(({ id }) => id === message.id);
  if (known) return withRunning(thread, known);
  const running = withRunning(withSiblings(thread, message), message);
  if (isColumn(running, message)) return withColumn(running, message);
  const parent = running.messages.findIndex((entry) => entry.id === message.parentId);
  // Its parent isn't loaded, so the message belongs below the loaded section.
  if (parent < 0 && message.parentId !== null) return running;
  const messages = [...running.messages.slice(0, parent + 1), message];
  return { ...running, messages, hasNewer: false, hasOlder: parent < 0 ? false : thread.hasOlder };
}

/** Returns the thread with an updated message. A message of another branch changes only the list of running answers. */
export function withUpdated(thread: Thread, message: Message): Thread {
  const running = withRunning(thread, message);
  // The copy in the thread has the latest position among siblings, so that position is kept.
  const replaced = replacing(
    ({ id }) => id === message.id,
    ({ sibling }) => ({ ...message, sibling }),
  );
  const messages = replaced(thread.messages);
  const columns = replaced(thread.columns);
  if (messages === thread.messages && columns === thread.columns) return running;
  return { ...running, messages, columns };
}

/** A new sibling increases the count of the others. */
function withSiblings(thread: Thread, { parentId, sibling }: Message): Thread {
  const { count } = sibling;
  const counted = replacing(
    (entry) => entry.parentId === parentId && entry.sibling.count !== count,
    (entry) => ({ ...entry, sibling: { ...entry.sibling, count } }),
  );
  return { ...thread, messages: counted(thread.messages), columns: counted(thread.columns) };
}

const replacing =
  (which: (message: Message) => boolean, change: (message: Message) => Message) => (list: readonly Message[]) =>
    list.some(which) ? list.map((entry) => (which(entry) ? change(entry) : entry)) : list;

/** Replaces the branch from the first of these messages on, if its position is loaded. */
export function withBranch(
  thread: Thread,
  { messages, columns, hasNewer }: Pick<ThreadPage, 'messages' | 'columns' | 'hasNewer'>,
): Thread {
  const [first] = messages;
  if (!first) return thread;
  const parent = thread.messages.findIndex(({ id }) => id === first.parentId);
  const itself = thread.messages.findIndex(({ id }) => id === first.id);
  if (parent < 0 && itself < 0 && first.parentId !== null) return thread;
  const above = thread.messages.slice(0, parent >= 0 ? parent + 1 : Math.max(0, itself));
  const shown = [...above, ...messages];
  const hasOlder = first.parentId === null ? false : thread.hasOlder;
  return {
    ...thread,
    messages: shown,
    columns: [...columnsAmong(above, thread.columns), ...columns],
    hasOlder,
    hasNewer,
  };
}

const isColumn = (thread: Thread, { comparison }: Message): boolean =>
  comparison !== null && thread.messages.some(({ comparing }) => comparing === comparison.id);

const upsert = (list: readonly Message[], message: Message): readonly Message[] =>
  list.some(({ id }) => id === message.id)
    ? list.map((entry) => (entry.id === message.id ? message : entry))
    : [...list, message];

/**
 * Adds an answer of a comparison. The branch contains only the comparison's first column; `columns` holds all of them.
 */
function withColumn(thread: Thread, message: Message): Thread {
  const columns = upsert(thread.columns, message);
  const last = thread.messages.at(-1);
  const first = !message.continues && last?.id === message.parentId;
  return { ...thread, columns, messages: first ? [...thread.messages, message] : thread.messages };
}

/** The columns of the comparisons among these messages. */
function columnsAmong(messages: readonly Message[], ...lists: readonly (readonly Message[])[]): readonly Message[] {
  const shown = new Set(messages.flatMap(({ comparing }) => comparing ?? []));
  const found = new Map(lists.flat().map((message) => [message.id, message]));
  return [...found.values()].filter(({ comparison }) => comparison && shown.has(comparison.id));
}

function withRunning(thread: Thread, message: Message): Thread {
  if (message.role !== 'assistant') return thread;
  const known = thread.runningIds.includes(message.id);
  if (message.status === 'streaming')
    return known ? thread : { ...thread, runningIds: [...thread.runningIds, message.id] };
  return known ? { ...thread, runningIds: thread.runningIds.filter((id) => id !== message.id) } : thread;
}

/** Prepends a page, if the thread still begins with `first`; messages far below are dropped. */
export function withOlder(thread: Thread, first: string, older: ThreadPage): Thread {
  if (thread.messages[0]?.id !== first) return thread;
  const cut = older.messages.findIndex((message) => message.id === first);
  const messages = [...older.messages.slice(0, Math.max(0, cut)), ...thread.messages];
  const kept = messages.slice(0, Math.max(maxAtOnce, older.messages.length));
  return {
    ...thread,
    messages: kept,
    columns: columnsAmong(kept, older.columns, thread.columns),
    hasOlder: older.hasOlder,
    hasNewer: thread.hasNewer || kept.length < messages.length,
  };
}

/** Appends a page, if the thread still ends with `last`; messages far above are dropped. */
export function withNewer(thread: Thread, last: string, newer: ThreadPage): Thread {
  if (thread.messages.at(-1)?.id !== last) return thread;
  const cut = newer.messages.findIndex((message) => message.id === last);
  const messages = [...thread.messages, ...newer.messages.slice(cut + 1)];
  let from = Math.max(0, messages.length - maxAtOnce);
  // Neither an answer in several parts nor a comparison and its question may be cut apart.
  while (messages[from]?.continues || messages[from]?.comparison) from--;
  const kept = messages.slice(from);
  const columns = columnsAmong(kept, thread.columns, newer.columns);
  return { ...thread, messages: kept, columns, hasNewer: newer.hasNewer, hasOlder: thread.hasOlder || from > 0 };
}
