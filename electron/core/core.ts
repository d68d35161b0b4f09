import { join } from 'node:path';
import type { Gateway, GatewayOptions } from '#gateway/gateway.ts';
import { findLocalServers } from '#gateway/providers/local-servers.ts';
import { guardedDownload } from '#gateway/upstream/guarded-download.ts';
import { topic } from '#shared/contract/changes.ts';
import { accountFeature } from './account/account.ts';
import { appFeature } from './app/app.ts';
import { personAsked } from './ask-person.ts';
import { attachmentFiles } from './attachments/attachment-files.ts';
import { attachmentPart } from './attachments/attachment-part.ts';
import { attachmentsFeature } from './attachments/attachments.ts';
import { attachmentsStore } from './attachments/attachments-store.ts';
import { openBackground } from './background.ts';
import { backupFeature } from './backup/backup.ts';
import { billsFeature } from './bills/bills.ts';
import { capsFeature } from './caps/caps.ts';
import { spendStore } from './caps/spend-store.ts';
import { type Changes, openChanges } from './changes.ts';
import { openAdmission } from './chat/admission.ts';
import { chatFeature, recoverAnswers } from './chat/chat.ts';
import { contextFeature } from './chat/compact.ts';
import { costLookup } from './chat/cost-lookup.ts';
import { openLiveAnswers, stopAnswers } from './chat/live-answers.ts';
import { roomMaker } from './chat/make-room.ts';
import { previewRoute } from './chat/preview-route.ts';
import { requestBuilder } from './chat/request.ts';
import { spendLookup } from './chat/spend-lookup.ts';
import { openToolDecisions } from './chat/tool-decisions.ts';
import { summaryStore } from './context/summary-store.ts';
import { branchStore } from './conversations/branch-store.ts';
import { comparisonStore } from './conversations/comparison-store.ts';
import { conversationStore } from './conversations/conversation-store.ts';
import { conversationsFeature } from './conversations/conversations.ts';
import { messageStore } from './conversations/message-store.ts';
import { messagesFeature } from './conversations/messages.ts';
import { threadViewFeature } from './conversations/thread-view.ts';
import { creditsFeature } from './credits/credits.ts';
import { lockDataFolder } from './data-folder.ts';
import { type Db, migrate, openDb } from './db.ts';
import { draftsFeature } from './drafts/drafts.ts';
import { embeddedWallets } from './gateway/embedded-wallets.ts';
import { gatewayFeature } from './gateway/gateway.ts';
import { type Listen, localDoor } from './gateway/local-door.ts';
import { localKeysFeature } from './gateway/local-keys.ts';
import { openConnections } from './gateway/open-connections.ts';
import { remoteGateway } from './gateway/remote-gateway.ts';
import { waitAsAsked } from './gateway/wait-as-asked.ts';
import { waitingGateway } from './gateway/waiting-gateway.ts';
import type { Host } from './host.ts';
import { imagesFeature } from './images/images.ts';
import { openKeychain, type SecretStore } from './keychain.ts';
import { gatewayLog, type Log, openLog } from './log.ts';
import { migrations } from './migrations/migrations.ts';
import { modelsFeature } from './models/models.ts';
import { modelsStore } from './models/models-store.ts';
import { optionsFeature } from './options/options.ts';
import { optionsStore } from './options/options-store.ts';
import { organiseFeature } from './organise/organise.ts';
import { organiseStore } from './organise/organise-store.ts';
import { presetsFeature } from './presets/presets.ts';
import { promptsFeature } from './prompts/prompts.ts';
import { environmentKeys, providersOf } from './providers/environment-keys.ts';
import { providerStore } from './providers/provider-store.ts';
import { providersFeature } from './providers/providers.ts';
import { queueFeature } from './queue/queue.ts';
import { queueStore } from './queue/queue-store.ts';
import { comparisonQuotes } from './quotes/comparison-quotes.ts';
import { quotesFeature } from './quotes/quotes.ts';
import { type CoreRouter, coreRouter } from './router.ts';
import { rpcErrors } from './rpc-errors.ts';
import { searchFeature } from './search/search.ts';
import { secretBox } from './secret-box.ts';
import { keychainName } from './secret-service.ts';
import { settingsFeature } from './settings/settings.ts';
import { settingsStore } from './settings/settings-store.ts';
import { openTools } from './tools/open-tools.ts';
import { transferFeature } from './transfer/transfer.ts';
import { transferStore } from './transfer/transfer-store.ts';
import { usageFeature } from './usage/usage.ts';

export interface CoreOptions {
  readonly host: Host;
  readonly dataFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A clock that never goes back, in milliseconds. */
  readonly elapsed: () => number;
  readonly newId: () => string;
  readonly fetch: typeof fetch;
  readonly openGateway: (options: GatewayOptions) => Promise<Gateway>;
  readonly listen: Listen;
  readonly openSecrets: () => Promise<SecretStore>;
  /** Multiplies the sandbox's pauses; 0 in tests. */
  readonly sandboxPace: number;
  /** The program of the thread beside the main one: `database-worker.ts`, built or as it is. */
  readonly workerFile: string;
  /** The program of the threads that read web pages: `tools/page-worker.ts`, built or as it is. */
  readonly pageWorkerFile: string;
}

export interface Core {
  /** All that a renderer may ask; a host puts a transport before it. */
  readonly router: CoreRouter;
  /** How every host turns failures into answers. */
  readonly rpc: ReturnType<typeof rpcErrors>;
  readonly log: Log;
  /** Ends what runs, keeps what had arrived, and frees the data folder. */
  close(): Promise<void>;
}

const keychainLimitMs = 5000;
const drainMs = 5000;
const lookAgainMs = 2000;

/** Opens the core: the one place where its parts meet. It wires and decides nothing. */
export async function openCore(options: CoreOptions): Promise<Core> {
  const { host, dataFolder, env, platform, now, elapsed, newId } = options;
  const unlock = lockDataFolder(dataFolder);
  const log = openLog(dataFolder, now);
  const changes = openChanges();
  const closing = new AbortController();

  const db = await openDb(join(dataFolder, 'portico.db'));
  const store = settingsStore(db);
  const conversations = conversationStore(db);
  const messages = messageStore(db);
  const profile = await store.writeOnce('profile', newId());

  const keychain = openKeychain({
    open: options.openSecrets,
    backend: keychainName(platform),
    limitMs: keychainLimitMs,
    log,
    stateChanged: () => changes.emit('app'),
    recovered: () => void providers.load(),
  });
  const secrets = secretBox(keychain, profile);

  const waiting = await waitingGateway({ open: () => openEmbedded(options, log), log, everyMs: lookAgainMs });
  const { gateway } = waiting;
  const door = localDoor({ gateway, listen: options.listen, store });
  const remote = remoteGateway({ store, secrets, fetch: waitAsAsked(options.fetch, elapsed) });
  await remote.load();

  const providers = providersFeature({
    gateway,
    findServers: () => findLocalServers({ fetch: options.fetch }),
    store: providerStore(db),
    secrets,
    changes,
    known: providersOf(env),
    environment: environmentKeys(env),
    now,
    newId,
  });
  const { hasProvider } = providers;
  const embedded = embeddedWallets({ gateway, store, secrets, elapsed });
  const connections = openConnections({ remote, embedded, hasProvider });
  const source = () => remote.get()?.baseUrl ?? 'embedded';
  const models = modelsFeature({ store: modelsStore(db), connections, source, changes, now, log });
  await models.load();

  const live = openLiveAnswers();
  const { modelFacts } = models;
  const spend = spendStore(db);
  const lookUps = [
    costLookup({ messages, connections, live, changes, modelFacts, log, signal: closing.signal }),
    spendLookup({ spend, connections, changes, log, signal: closing.signal }),
  ];
  const lookUpOpenCosts = async () => void (await Promise.all(lookUps.map((lookUp) => lookUp())));
  const tools = openTools({
    ...{ db, dataFolder, secrets, changes, now, newId },
    ask: personAsked({ confirm: host.confirm, elapsed }),
    settings: store,
    fetch: options.fetch,
    pageWorkerFile: options.pageWorkerFile,
    version: host.version,
  });
  const settings = settingsFeature({ store, host, changes });

  const files = attachmentFiles(join(dataFolder, 'attachments'));
  const attachments = attachmentsFeature({ files, store: attachmentsStore(db), now, log });
  const chatOptions = optionsStore(db);
  const summaries = summaryStore(db);
  const caps = capsFeature({ store, spend, changes, now });
  const build = requestBuilder({
    ...{ modelFacts, optionsOf: chatOptions.read, summaryOf: summaries.of },
    offeredTools: tools.toolbox.offered,
  });
  const quotes = quotesFeature({
    messages,
    leafOf: conversations.leaf,
    connections,
    modelFacts,
    build,
    bytesOf: attachments.bytes,
    capStates: caps.stateOf,
    now,
  });
  const admission = openAdmission({ upperBound: quotes.upperBound, caps });
  const context = contextFeature({
    ...{ messages, conversations, summaries, spend, connections, modelFacts, admission, changes, now, newId },
    quoteOf: quotes.rangeOf,
  });
  const overflowOf = async (id: string) => (await chatOptions.read(id)).overflow;
  const chat = chatFeature({
    ...{ messages, conversations, connections, live, changes, modelFacts, log, now, newId, lookUpOpenCosts },
    ...{ build, admission, attachments, options: chatOptions, standIn: quotes.standIn },
    toPart: attachmentPart(attachments.bytes),
    ...{ toolbox: tools.toolbox, decisions: openToolDecisions() },
    makeRoom: roomMaker({ build, overflowOf, compact: context.compact, log }),
    answerEnded: (answer) => queue.answerEnded(answer),
    comparisons: comparisonStore(db),
    resumeQueue: (conversationId) => queue.resume({ conversationId }),
  });
  const queue = queueFeature({
    store: queueStore(db),
    changes,
    log,
    isLive: live.isLive,
    send: chat.send,
    compare: chat.comparisons.begin,
  });
  await recoverAnswers({ messages, now, log, lookUpOpenCosts });
  const branches = branchStore(db);
  const inThread = messagesFeature({ branches, changes, stopAnswers: live.stopThese, newId, now });
  await inThread.purge();

  const background = openBackground(options.workerFile, join(dataFolder, 'portico.db'));
  const chats = conversationsFeature({ conversations, messages, changes, settings: store, live });
  const organise = organiseFeature({
    store: organiseStore(db),
    removeConversation: (id) => chats.remove({ id }),
    ...{ changes, now, newId, log },
  });
  const leaveTrash = organise.keepTrash();
  const backup = backupFeature({
    databasePath: join(dataFolder, 'portico.db'),
    folder: join(dataFolder, 'backups'),
    attachmentFolder: join(dataFolder, 'attachments'),
    migrations: Object.keys(migrations),
    quiet: () => stopAnswers(live.all()),
    restored: () => readAnew(db, [tools.restored, remote.load, models.load, providers.load], changes),
    ...{ background, changes, now, log },
  });
  const leaveBackups = backup.keepUp();

  const router = coreRouter({
    account: accountFeature({ connections, hasProvider }),
    app: appFeature({ host, platform, dataFolder, keychain, problem: () => (remote.get() ? null : waiting.problem()) }),
    attachments,
    bills: billsFeature({ spend }),
    caps,
    comparisons: { ...chat.comparisons, quote: comparisonQuotes({ quoteOf: quotes.get, capStates: caps.stateOf }) },
    backup,
    changes,
    chat,
    context,
    conversations: chats,
    credits: creditsFeature({ connections }),
    drafts: draftsFeature({ db, now }),
    images: imagesFeature({ download: guardedDownload }),
    gateway: gatewayFeature({ remote, door, connections, changes, connected: lookUpOpenCosts, elapsed }),
    localKeys: localKeysFeature({ operator: gateway.operator, embedded, changes, now }),
    messages: { ...inThread, ...threadViewFeature({ db, now }) },
    models,
    options: optionsFeature({ store: chatOptions, changes }),
    presets: presetsFeature({ db, changes, newId }),
    prompts: promptsFeature({ db, changes, newId }),
    providers,
    queue,
    quotes: {
      ...quotes,
      route: previewRoute({
        messages,
        leafOf: conversations.leaf,
        connections,
        modelFacts,
        build,
        standIn: quotes.standIn,
      }),
    },
    organise,
    search: searchFeature({ background, conversationsById: chats.byIds }),
    settings,
    transfer: transferFeature({
      store: transferStore(db),
      folder: join(dataFolder, 'imports'),
      output: host.output,
      ...{ background, attachments, changes, now, newId },
    }),
    tools: tools.feature,
    usage: usageFeature({ connections }),
  });

  void waiting.openedLater?.then(() => {
    changes.emit(...topic.options);
    return lookUpOpenCosts();
  });
  host.showTheme((await settings.get()).theme);
  const started = Promise.allSettled([keychain.probe(), providers.load(), door.start(), attachments.cleanUp()]);

  async function close(): Promise<void> {
    await started;
    leaveTrash();
    await leaveBackups();
    await background.close();
    await chat.close();
    await tools.close();
    closing.abort();
    await door.close();
    await gateway.drain(drainMs);
    await gateway.close();
    await db.destroy();
    unlock();
  }

  return { router, rpc: rpcErrors(log), log, close };
}

/** After another state has taken the place of this one: its schema, what is held of it, and every window. */
async function readAnew(db: Db, loads: readonly (() => Promise<unknown>)[], changes: Changes): Promise<void> {
  await migrate(db);
  await Promise.all(loads.map((load) => load()));
  changes.emit(...topic.options);
}

function openEmbedded(
  { openGateway, dataFolder, sandboxPace, now, fetch: send }: CoreOptions,
  log: Log,
): Promise<Gateway> {
  return openGateway({
    database: join(dataFolder, 'gateway.db'),
    sandboxPace,
    now,
    fetch: send,
    env: {},
    log: gatewayLog(log),
  });
}
