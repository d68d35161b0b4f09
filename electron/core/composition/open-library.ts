import { join } from 'node:path';
import { topic } from '#shared/contract/app/changes.ts';
import type { Language } from '#shared/language/messages.ts';
import { refusal } from '#shared/language/refusals.ts';
import { backupFeature } from '../backup/backup-feature.ts';
import { getTotal } from '../billing/costs/spend-store.ts';
import { conversationsFeature } from '../conversations/conversations-feature.ts';
import { messagesFeature } from '../conversations/messages-feature.ts';
import { organiseFeature } from '../conversations/organise/organise-feature.ts';
import { searchFeature } from '../conversations/search/search-feature.ts';
import { threadViewFeature } from '../conversations/thread-view-feature.ts';
import { watchedThread } from '../conversations/watched-thread.ts';
import { stopAnswers } from '../runtime/streams/live-answers.ts';
import { migrate } from '../storage/database/db.ts';
import { exportReader } from '../transfer/import-thread.ts';
import { transferFeature } from '../transfer/transfer-feature.ts';
import { openBackground } from '../worker/background.ts';
import type { Chats } from './open-chats.ts';
import type { CoreOptions, OpenedContext } from './open-context.ts';
import type { Models } from './open-models.ts';

/** Opens everything about existing chats: reading, organising, search, backup, export and import. */
export async function openLibrary(
  options: CoreOptions,
  context: OpenedContext,
  models: Models,
  chats: Chats,
  language: () => Promise<Language>,
) {
  const { workerFile, importWorkerFile } = options;
  const { dataFolder, db, changes, readers } = context;
  const { live, attachments, tools } = chats;
  const inThread = messagesFeature({ ...context, stopAnswers: live.stopThese });
  await inThread.purge();

  const closing = new AbortController();
  const background = openBackground(workerFile, join(dataFolder, 'portico.db'));
  const conversations = conversationsFeature({ ...context, live });
  const thread = watchedThread({
    ...context,
    chats: conversations,
    running: live.ofConversation,
    getTotal: async (conversationId) => {
      const [asked, imported] = await Promise.all([
        chats.spend.rows(conversationId),
        chats.spend.imported(conversationId),
      ]);
      return getTotal([...asked, ...imported]);
    },
  });
  const organise = organiseFeature({
    ...context,
    projects: chats.projects,
    verify: chats.attachments.verify,
    removeConversation: (id) => conversations.remove({ id }),
  });
  const leaveTrash = organise.keepTrash();
  /** Called after a restore: migrates the database, reloads what is in memory, and refreshes every window. */
  const reload = async () => {
    await migrate(db);
    const loads = [tools.restored, models.accounts.load, models.models.load, models.providers.load];
    await Promise.all(loads.map((load) => load()));
    readers.refreshAll();
    changes.emit(...topic.options);
  };
  const backup = backupFeature({
    ...context,
    background,
    quiet: () => stopAnswers(live.all()),
    restored: reload,
  });
  const leaveBackups = backup.keepUp();
  return {
    background,
    thread,
    conversations,
    messages: { ...inThread, ...threadViewFeature(context) },
    organise,
    backup,
    search: searchFeature({ background, conversationsById: conversations.byIds }),
    transfer: transferFeature({
      ...context,
      background,
      attachments,
      readExport: exportReader(importWorkerFile, closing.signal),
      language,
    }),
    async close(): Promise<void> {
      closing.abort(refusal('cancelled', 'closing'));
      conversations.close();
      leaveTrash();
      await leaveBackups();
      await background.close();
    },
  };
}
