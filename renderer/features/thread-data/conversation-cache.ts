import type { ThreadSnapshot } from '#shared/contract/chat/chat.ts';
import type { Conversation, Message, ScrollPosition, Stretch } from '#shared/contract/chat/conversations.ts';
import type { ConversationTotal } from '#shared/contract/common/bills.ts';
import { mostAtOnce } from '#shared/contract/common/limits.ts';

/** A stretch of the branch that is shown, with its conversation. */
export interface Thread {
  /** Which snapshot it began with: the next one takes the place of all that was loaded. */
  readonly snapshot: string;
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
  /** The answers of the comparisons that are shown among them. */
  readonly columns: readonly Message[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  readonly place: ScrollPosition | null;
  readonly runningIds: readonly string[];
  /** What the conversation has cost. */
  readonly total: ConversationTotal;
}

export function threadOf({
  readerId,
  seq,
  conversation,
  messages,
  columns,
  hasOlder,
  hasNewer,
  place,
  answers,
  total,
}: ThreadSnapshot): Thread {
  const running = answers.filter(({ status }) => status === 'streaming').map(({ id }) => id);
  const snapshot = `${readerId} ${seq}`;
  return { snapshot, conversation, messages, columns, hasOlder, hasNewer, place, runningIds: running, total };
}

/** The shown branch with a new message on it: whatever hung on the same parent gives way. */
export function withAdded(thread: Thread, message: Message): Thread {
  if (message.conversationId !== thread.conversation.id) return thread;
  // What is here already was read since.
  const known = [...thread.messages, ...thread.columns].find(({ id }) => id === message.id);
  if (known) return withRunning(thread, known);
  const running = withRunning(withSiblings(thread, message), message);
  if (isColumn(running, message)) return withColumn(running, message);
  const parent = running.messages.findIndex((entry) => entry.id === message.parentId);
  // Its parent is not in this stretch: the end is elsewhere.
  if (parent < 0 && message.parentId !== null) return running;
  const messages = [...running.messages.slice(0, parent + 1), message];
  return { ...running, messages, hasNewer: false, hasOlder: parent < 0 ? false : thread.hasOlder };
}

/** The same branch where it holds the message; a message of another branch changes nothing of it. */
export function withUpdated(thread: Thread, message: Message): Thread {
  const running = withRunning(thread, message);
  // Its place among its siblings is what was said last of all of them.
  const replaced = replacing(
    ({ id }) => id === message.id,
    ({ sibling }) => ({ ...message, sibling }),
  );
  const messages = replaced(thread.messages);
  const columns = replaced(thread.columns);
  if (messages === thread.messages && columns === thread.columns) return running;
  return { ...running, messages, columns };
}

/** With a new message beside them there is one more of its siblings. */
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

/** From the first of these messages on the branch is another one, where that is in this stretch. */
export function withBranch(thread: Thread, { messages, columns, hasNewer }: Omit<Stretch, 'hasOlder'>): Thread {
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

const withOne = (list: readonly Message[], message: Message): readonly Message[] =>
  list.some(({ id }) => id === message.id)
    ? list.map((entry) => (entry.id === message.id ? message : entry))
    : [...list, message];

/** The first column stands for all of them in the branch; the others are beside it. */
function withColumn(thread: Thread, message: Message): Thread {
  const columns = withOne(thread.columns, message);
  const last = thread.messages.at(-1);
  const first = !message.continues && last?.id === message.parentId;
  return { ...thread, columns, messages: first ? [...thread.messages, message] : thread.messages };
}

/** The columns of those comparisons that are shown among these messages. */
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

/** Older messages before the first one, as far as the thread still begins with it. What is far below is let go. */
export function withOlder(thread: Thread, first: string, older: Stretch): Thread {
  if (thread.messages[0]?.id !== first) return thread;
  const cut = older.messages.findIndex((message) => message.id === first);
  const messages = [...older.messages.slice(0, Math.max(0, cut)), ...thread.messages];
  const kept = messages.slice(0, Math.max(mostAtOnce, older.messages.length));
  return {
    ...thread,
    messages: kept,
    columns: columnsAmong(kept, older.columns, thread.columns),
    hasOlder: older.hasOlder,
    hasNewer: thread.hasNewer || kept.length < messages.length,
  };
}

/** Newer messages after the last one, as far as the thread still ends with it. What is far above is let go. */
export function withNewer(thread: Thread, last: string, newer: Stretch): Thread {
  if (thread.messages.at(-1)?.id !== last) return thread;
  const cut = newer.messages.findIndex((message) => message.id === last);
  const messages = [...thread.messages, ...newer.messages.slice(cut + 1)];
  let from = Math.max(0, messages.length - mostAtOnce);
  // An answer that goes on is kept whole, and a comparison with its question.
  while (messages[from]?.continues || messages[from]?.comparison) from--;
  const kept = messages.slice(from);
  const columns = columnsAmong(kept, thread.columns, newer.columns);
  return { ...thread, messages: kept, columns, hasNewer: newer.hasNewer, hasOlder: thread.hasOlder || from > 0 };
}
