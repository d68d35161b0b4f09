import { join } from 'node:path';
import { topic } from '#shared/contract/app/changes.ts';
import type { Language } from '#shared/language/messages.ts';
import { refusal } from '#shared/language/refusals.ts';
import { backupFeature } from '../backup/backup-feature.ts';
import { getTotal } from '../billing/costs/spend-store.ts';
import { branchStore } from '../conversations/branch-store.ts';
import { forkConversation } from '../conversations/conversation-store.ts';
import { conversationsFeature } from '../conversations/conversations-feature.ts';
import { messagesFeature } from '../conversations/messages-feature.ts';
import { organiseFeature } from '../conversations/organise/organise-feature.ts';
import { organiseStore } from '../conversations/organise/organise-store.ts';
import { searchFeature } from '../conversations/search/search-feature.ts';
import { threadViewFeature } from '../conversations/thread-view-feature.ts';
import { watchedThread } from '../conversations/watched-thread.ts';
import { stopAnswers } from '../runtime/streams/live-answers.ts';
import { migrate } from '../storage/database/db.ts';
import { exportReader } from '../transfer/import-thread.ts';
import { transferFeature } from '../transfer/transfer-feature.ts';
import { transferStore } from '../transfer/transfer-store.ts';
import { openBackground } from '../worker/background.ts';
import type { Base, CoreOptions } from './open-base.ts';
import type { Chats } from './open-chats.ts';
import type { Models } from './open-models.ts';

/** Opens everything about existing chats: reading, organising, search, backup, export and import. */
export async function openLibrary(
  options: CoreOptions,
  base: Base,
  models: Models,
  chats: Chats,
  language: () => Promise<Language>,
) {
  const { dataFolder, host, workerFile, importWorkerFile } = options;
  const { db, changes, readers, now } = base;
  const { live, attachments, tools } = chats;
  const inThread = messagesFeature({ ...base, branches: branchStore(db), stopAnswers: live.stopThese });
  await inThread.purge();

  const databasePath = join(dataFolder, 'portico.db');
  const closing = new AbortController();
  const background = openBackground(workerFile, databasePath);
  const conversations = conversationsFeature({ ...base, live, fork: (fork) => forkConversation(db, fork) });
  const thread = watchedThread({
    readers,
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
    ...base,
    store: organiseStore(db),
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
    ...base,
    background,
    databasePath,
    folder: join(dataFolder, 'backups'),
    attachmentFolder: join(dataFolder, 'attachments'),
    quiet: () => stopAnswers(live.all()),
    restored: reload,
  });
  const leaveBackups = backup.keepUp();
  return {
    background,
    thread,
    conversations,
    messages: { ...inThread, ...threadViewFeature({ db, now }) },
    organise,
    backup,
    search: searchFeature({ background, conversationsById: conversations.byIds }),
    transfer: transferFeature({
      ...base,
      background,
      attachments,
      store: transferStore(db),
      readExport: exportReader(importWorkerFile, closing.signal),
      folder: join(dataFolder, 'imports'),
      output: host.output,
      openedFile: host.openedFile,
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
