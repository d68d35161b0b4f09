import { join } from 'node:path';
import type { Gateway, GatewayOptions } from '#gateway/gateway.ts';
import type { Download } from '#gateway/providers/upstream/fetched-files.ts';
import {
  explainFailure,
  finishRecovery,
  recoverDatabase,
  refuseDamaged,
  refuseEmptied,
} from '../backup/recover-database.ts';
import type { PollIntervals } from '../billing/account/watch-ledger.ts';
import { conversationStore } from '../conversations/conversation-store.ts';
import { messageStore } from '../conversations/message-store.ts';
import type { Listen } from '../gateways/gateway/local-listener.ts';
import type { Host } from '../runtime/host/host.ts';
import { openLog } from '../runtime/log/log.ts';
import { openChanges } from '../runtime/streams/change-topics.ts';
import { openThreadReaders } from '../runtime/streams/thread-readers.ts';
import type { CoreContext } from '../storage/core-context.ts';
import { openDb } from '../storage/database/db.ts';
import type { Recovery } from '../storage/database/recovery.ts';
import type { SecretStore } from '../storage/secrets/keychain.ts';
import type { SessionMemory } from '../storage/secrets/session-memory.ts';
import { settingsStore } from '../storage/settings/settings-store.ts';

export interface CoreOptions {
  readonly host: Host;
  readonly dataFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** What the user chose after a start at which the database could not be opened. */
  readonly recovery?: Recovery | null;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  readonly newId: () => string;
  /** Replaces the app's own network. */
  readonly fetch?: typeof fetch;
  readonly openGateway: (options: GatewayOptions) => Promise<Gateway>;
  readonly listen: Listen;
  readonly openSecrets: () => Promise<SecretStore>;
  readonly session: SessionMemory;
  /** Multiplies the sandbox's pauses. It is 0 in tests. */
  readonly sandboxPace: number;
  /** How often the ledger is read. Set only by tests. */
  readonly pollIntervals?: PollIntervals;
  /** The entry point of the database thread: `database-worker.ts`, built or as source. */
  readonly workerFile: string;
  /** The entry point of the threads that read web pages: `tools/page-worker.ts`, built or as source. */
  readonly pageWorkerFile: string;
  /** The entry point of the threads that read documents: `attachments/document-worker.ts`, built or as source. */
  readonly documentWorkerFile: string;
  /** The entry point of the threads that read exports: `transfer/reading/import-worker.ts`, built or as source. */
  readonly importWorkerFile: string;
}

/** The options with the app's network. */
export type ConnectedOptions = CoreOptions & {
  readonly fetch: typeof fetch;
  /** Downloads addresses that someone else provided, and only from public hosts. */
  readonly download: Download;
};

/** Opens the context of all features, and the stores that many of them need. */
export async function openContext({ host, dataFolder, recovery, now, elapsed, newId }: CoreOptions) {
  const log = openLog(dataFolder, now);
  await finishRecovery(dataFolder);
  const recovered = recovery ? await recoverDatabase(dataFolder, recovery, now()) : null;
  if (recovered) log({ event: 'database_recovered', ...recovered });
  const emptied = await refuseEmptied(dataFolder);
  await refuseDamaged(dataFolder);
  const db = await openDb(join(dataFolder, 'portico.db')).catch(async (error: unknown) => {
    throw await explainFailure(dataFolder, error);
  });
  const closing = new AbortController();
  const context: CoreContext = {
    host,
    dataFolder,
    db,
    settings: settingsStore(db),
    log,
    changes: openChanges(),
    readers: openThreadReaders(newId),
    now,
    elapsed,
    newId,
    closing: closing.signal,
  };
  return {
    context: { ...context, conversations: conversationStore(db), messages: messageStore(db) },
    /** The database was an empty file, so it's a new one now. */
    emptied,
    /** Ends what still waits for a gateway. */
    stopWaiting: () => closing.abort(),
  };
}

export type OpenedContext = Awaited<ReturnType<typeof openContext>>['context'];
