import type { Selectable } from 'kysely';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { NewQueuedMessage, QueuedMessage } from '#shared/contract/chat/queue.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { getProblemText, type ProblemText } from '#shared/errors.ts';
import { failureEntry } from '../../runtime/log/log.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import type { ComposerTables } from '../../storage/database/composer-tables.ts';
import { coreFailure } from '../../storage/database/core-failure.ts';
import type { Db } from '../../storage/database/db.ts';
import { storedAttachments } from '../../storage/database/stored-attachments.ts';

/** Stores queued messages in order. */
export function queueStore(db: Db) {
  return {
    async list(conversationId: string): Promise<QueuedMessage[]> {
      const rows = await db
        .selectFrom('queued_messages')
        .selectAll()
        .where('conversation_id', '=', conversationId)
        .orderBy('seq')
        .execute();
      return rows.map(toQueued);
    },
    async add({ id, conversationId, text, attachments, model, compare }: NewQueuedMessage): Promise<void> {
      await db
        .insertInto('queued_messages')
        .values({
          seq: null,
          id,
          conversation_id: conversationId,
          text,
          model,
          problem: null,
          attachments: JSON.stringify(attachments),
          compare: JSON.stringify(compare),
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    },
    /**
     * Whether the message was sent already, which happens if the app ended between sending it and removing it from the
     * queue.
     */
    async isSent(id: string): Promise<boolean> {
      return (await db.selectFrom('messages').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
    },
    async change(id: string, { problem, ...change }: { text?: string; problem: ProblemText | null }): Promise<void> {
      const columns = { ...change, problem: problem && JSON.stringify(problem) };
      await db.updateTable('queued_messages').set(columns).where('id', '=', id).execute();
    },
    async remove(id: string): Promise<void> {
      await db.deleteFrom('queued_messages').where('id', '=', id).execute();
    },
  };
}

const toQueued = (row: Omit<Selectable<ComposerTables['queued_messages']>, 'seq'>): QueuedMessage => ({
  id: row.id,
  conversationId: row.conversation_id,
  text: row.text,
  attachments: storedAttachments(row.attachments),
  model: row.model,
  compare: JSON.parse(row.compare),
  problem: row.problem === null ? null : JSON.parse(row.problem),
});

export interface QueueDeps extends CoreContext {
  readonly isLive: (conversationId: string) => boolean;
}

/** How a queued message is sent. */
interface Sender {
  readonly send: (message: {
    messageId: string;
    conversationId: string;
    text: string;
    attachments: readonly Attachment[];
    model: string;
    overCaps: boolean;
  }) => Promise<unknown>;
  /** Sends a question to several models. */
  readonly compare: (message: {
    messageId: string;
    conversationId: string;
    text: string;
    attachments: readonly Attachment[];
    models: readonly string[];
    overCaps: boolean;
  }) => Promise<unknown>;
}

const waitsOn = new Set(['answer_in_progress', 'comparison_open', 'shutting_down']);

/**
 * Queues messages behind a running answer. The first one is sent when the answer is complete, even if no window is
 * open. After a stop, a failure or a restart they wait for the user, because they may no longer make sense.
 */
export function queueFeature({ db, changes, log, isLive }: QueueDeps) {
  const store = queueStore(db);
  let sender: Sender | null = null;
  const sending = new Set<string>();

  async function sendNext(conversationId: string): Promise<void> {
    if (sender === null || sending.has(conversationId) || isLive(conversationId)) return;
    sending.add(conversationId);
    try {
      const [next] = await store.list(conversationId);
      if (!next) return;
      await sendOne(sender, next);
    } finally {
      sending.delete(conversationId);
    }
  }

  async function sendOne({ send, compare }: Sender, queued: QueuedMessage): Promise<void> {
    const { id, conversationId, text, attachments, model, compare: models } = queued;
    try {
      if (!(await store.isSent(id))) {
        const message = { messageId: id, conversationId, text, attachments, overCaps: false };
        await (models.length > 1 ? compare({ ...message, models }) : send({ ...message, model }));
      }
      await store.remove(id);
    } catch (error) {
      const failure = coreFailure(error);
      // The message stays queued when another one was first or no column is chosen yet.
      if (waitsOn.has(failure.code)) return;
      await store.change(id, { problem: getProblemText(failure) });
    } finally {
      changes.emit('queue');
    }
  }

  return {
    /**
     * Sets how messages are sent. It is called once, after the chats are opened: they need the queue first, because the
     * end of an answer sends the next message.
     */
    sendWith(given: Sender): void {
      sender = given;
    },

    list: ({ conversationId }: { conversationId: string }) => store.list(conversationId),

    async add(message: NewQueuedMessage): Promise<void> {
      await store.add(message);
      changes.emit('queue');
      const waiting = await store.list(message.conversationId);
      if (waiting[0]?.id === message.id) await sendNext(message.conversationId);
    },

    async change({ id, text }: { id: string; text: string }): Promise<void> {
      await store.change(id, { text, problem: null });
      changes.emit('queue');
    },

    async remove({ id }: { id: string }): Promise<void> {
      await store.remove(id);
      changes.emit('queue');
    },

    resume: ({ conversationId }: { conversationId: string }): Promise<void> => sendNext(conversationId),

    /** Sends the next message after a complete answer. Never throws. */
    async answerEnded({ conversationId, status }: Message): Promise<void> {
      if (status !== 'done') return;
      await sendNext(conversationId).catch((error: unknown) => {
        log({ event: 'queued_message_failed', ...failureEntry(error) });
      });
    },
  };
}
