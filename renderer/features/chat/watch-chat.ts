import type { ChatEvent } from '#shared/contract/chat.ts';
import type { Message } from '#shared/contract/conversations.ts';
import { retryDelay, waitMs } from '../../lib/retry.ts';
import { type Thread, withAdded, withUpdated } from './conversation-cache.ts';
import { answersOf, entriesOf, lengthBefore, sectionsOf } from './entries.ts';
import { type ThreadAccess, threadKey } from './read-thread.ts';

/** Watches until the signal; a lost or incomplete stream is opened again and begins with what it missed. */
export async function watchChat(access: ThreadAccess, signal: AbortSignal): Promise<void> {
  let opened = 0;
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      opened++;
      const events = await access.api.chat.watch({ conversationId: access.conversationId }, { signal });
      for await (const event of events) {
        attempt = 0;
        if (!apply(access, event, opened > 1)) break;
      }
    } catch (error) {
      if (signal.aborted) return;
      console.warn('The conversation’s stream ended', error);
    }
    await waitMs(retryDelay(attempt), signal);
  }
}

/** False: a piece is missing and the stream must begin again. `again`: there was time in which nobody listened. */
function apply(access: ThreadAccess, event: ChatEvent, again: boolean): boolean {
  const { queries, answers, conversationId } = access;
  const queryKey = threadKey(conversationId);
  const change = (next: (thread: Thread) => Thread) =>
    queries.setQueryData<Thread>(queryKey, (thread) => thread && next(thread));
  if (!queries.getQueryData(queryKey)) access.early.current ||= event.type !== 'snapshot';
  const known = (id: string) => {
    const thread = queries.getQueryData<Thread>(queryKey);
    return thread?.columns.some((column) => column.id === id) ? thread.columns : (thread?.messages ?? []);
  };
  switch (event.type) {
    case 'snapshot': {
      for (const message of event.answers) show(access, message);
      const thread = queries.getQueryData<Thread>(queryKey);
      if (again || (thread && missed(thread, event.answers))) void queries.invalidateQueries({ queryKey });
      return true;
    }
    case 'message-added':
      change((thread) => withAdded(thread, event.message));
      show(access, event.message);
      return true;
    case 'message-updated':
      change((thread) => withUpdated(thread, event.message));
      show(access, event.message);
      return true;
    case 'text-delta':
      return answers.addText(
        event.messageId,
        event.offset + lengthBefore(known(event.messageId), event.messageId).text,
        event.text,
      );
    case 'reasoning-delta':
      return answers.addReasoning(
        event.messageId,
        event.offset + lengthBefore(known(event.messageId), event.messageId).reasoning,
        event.text,
      );
  }
}

/** What goes on with an answer in view is shown with it as one text. */
function show({ queries, answers, conversationId }: ThreadAccess, message: Message): void {
  if (message.role !== 'assistant') return;
  const thread = queries.getQueryData<Thread>(threadKey(conversationId));
  const joined = message.continues && thread ? joinedWith(withUpdated(thread, message), message.id) : undefined;
  answers.show(joined ?? message);
}

const joinedWith = ({ messages, columns }: Thread, id: string) =>
  entriesOf(messages, columns)
    .flatMap(answersOf)
    .flatMap(sectionsOf)
    .find((entry) => entry.id === id);

/** What ran when the thread was read and does not run now has ended unseen; what runs now may be new. */
function missed(thread: Thread, running: readonly Message[]): boolean {
  const ids = new Set(running.map((message) => message.id));
  const ended = [...thread.messages, ...thread.columns].some(
    (message) => message.status === 'streaming' && !ids.has(message.id),
  );
  return ended || running.some((message) => !thread.runningIds.includes(message.id));
}
