import type { Conversation, Message, Place } from '#shared/contract/conversations.ts';

/** A stretch of the branch that is shown, with its conversation. */
export interface Thread {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
  /** The answers of the comparisons that are shown among them. */
  readonly columns: readonly Message[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  readonly place: Place | null;
  readonly runningIds: readonly string[];
}

interface Stretch {
  readonly messages: readonly Message[];
  readonly columns: readonly Message[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}

/** More than this is not kept at once: what is far from the view is read again when it is near. */
const mostKept = 400;

/** The shown branch with a new message on it: whatever hung on the same parent gives way. */
export function withAdded(thread: Thread, message: Message): Thread {
  if (message.conversationId !== thread.conversation.id) return thread;
  const running = withRunning(thread, message);
  if (thread.messages.some((entry) => entry.id === message.id)) return withUpdated(running, message);
  if (isColumn(thread, message)) return withColumn(running, message);
  const parent = thread.messages.findIndex((entry) => entry.id === message.parentId);
  // Its parent is not in this stretch: the end is elsewhere.
  if (parent < 0 && message.parentId !== null) return running;
  const messages = [...thread.messages.slice(0, parent + 1), message];
  return { ...running, messages, hasNewer: false, hasOlder: parent < 0 ? false : thread.hasOlder };
}

/** The same branch where it holds the message; a message of another branch changes nothing of it. */
export function withUpdated(thread: Thread, message: Message): Thread {
  const running = withRunning(thread, message);
  const replaced = (list: readonly Message[]) =>
    list.some((entry) => entry.id === message.id)
      ? list.map((entry) => (entry.id === message.id ? message : entry))
      : list;
  const messages = replaced(thread.messages);
  const columns = isColumn(thread, message) ? withOne(thread.columns, message) : replaced(thread.columns);
  if (messages === thread.messages && columns === thread.columns) return running;
  return { ...running, messages, columns };
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
  const kept = messages.slice(0, Math.max(mostKept, older.messages.length));
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
  let from = Math.max(0, messages.length - mostKept);
  // An answer that goes on is kept whole, and a comparison with its question.
  while (messages[from]?.continues || messages[from]?.comparison) from--;
  const kept = messages.slice(from);
  const columns = columnsAmong(kept, thread.columns, newer.columns);
  return { ...thread, messages: kept, columns, hasNewer: newer.hasNewer, hasOlder: thread.hasOlder || from > 0 };
}
