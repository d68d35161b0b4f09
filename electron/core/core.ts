import { chmodSync, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { proxyByEnvironment } from '#gateway/providers/upstream/environment-proxy.ts';
import { type DownloadOptions, guardedDownload } from '#gateway/providers/upstream/guarded-download.ts';
import { topic } from '#shared/contract/app/changes.ts';
import { isDamagedDatabase, isDiskFull, type ProblemText } from '#shared/errors.ts';
import { refusal, toProblemText } from '#shared/language/refusals.ts';
import { appFeature } from './app/app-feature.ts';
import { callTargets, networkFeature } from './app/network/network-feature.ts';
import { openNetwork } from './app/network/open-network.ts';
import { quickWindowFeature } from './app/quick-window-feature.ts';
import { settingsFeature } from './app/settings-feature.ts';
import { updatesFeature } from './app/updates-feature.ts';
import { explainFailure, suspectDamage } from './backup/recover-database.ts';
import { secretsTest } from './backup/secrets-test.ts';
import { accountFeature } from './billing/account/account-feature.ts';
import { creditsFeature } from './billing/account/credits-feature.ts';
import { fundsFeature } from './billing/account/funds-feature.ts';
import { usageFeature } from './billing/account/usage-feature.ts';
import { verificationFeature } from './billing/account/verification-feature.ts';
import { watchLedger } from './billing/account/watch-ledger.ts';
import { catalogueFeature } from './billing/catalogue/catalogue-feature.ts';
import { ledgerFeature } from './billing/ledger/ledger-feature.ts';
import { reconciliationFeature } from './billing/reconciliation/reconciliation-feature.ts';
import { openChats } from './composition/open-chats.ts';
import { type CoreOptions, openContext } from './composition/open-context.ts';
import { openLibrary } from './composition/open-library.ts';
import { drainMs, openModels } from './composition/open-models.ts';
import { draftsFeature } from './conversations/drafts/drafts-feature.ts';
import { optionsFeature } from './conversations/options/options-feature.ts';
import { presetsFeature } from './conversations/presets/presets-feature.ts';
import { promptsFeature } from './conversations/prompts/prompts-feature.ts';
import { imagesFeature } from './files/images/images-feature.ts';
import { apiKeysFeature } from './gateways/api-keys/api-keys-feature.ts';
import { gatewayAccountsFeature } from './gateways/gateway/gateway-accounts-feature.ts';
import { gatewayFeature } from './gateways/gateway/gateway-feature.ts';
import { type CoreRouter, coreRouter } from './rpc/router.ts';
import { rpcErrors } from './rpc/rpc-errors.ts';
import { createAskPerson } from './runtime/host/ask-person.ts';
import { isUnusable } from './runtime/log/is-unusable.ts';
import { failureEntry, type Log, logPaths } from './runtime/log/log.ts';
import { openBackground } from './worker/background.ts';

/** Everything that Portico puts into its data folder, and the files that macOS's Finder adds. */
const ownNames = [
  /^(portico|gateway|lock)\.db([.-].+)?$/,
  /^(consents|installation|network|window)\.json(\.part)?$/,
  /^unusable-.+\.db([.-].+)?$/,
  /^(attachments|backups|browser|imports|logs|words\.log|\.DS_Store)$/,
  /^(open|answer)-portico\.html$/,
];

/**
 * Removes the write access of others to the data folder where that does no harm. Returns what the user has to know:
 * others can still write there, or something else has the name of a file that the app can do without.
 */
function inspectDataFolder(folder: string, log: Log): ProblemText[] {
  const [logFolder, logFile] = logPaths(folder);
  const words = join(folder, 'words.log');
  const notices: ProblemText[] = [];
  if (isOpenToOthers(folder, log)) notices.push(toProblemText('dataFolderOpen', { folder }));
  if (isUnusable(logFolder, 'folder'))
    notices.push(toProblemText('logNotWritten', { path: logFolder, wanted: 'folder' }));
  else if (isUnusable(logFile, 'file')) notices.push(toProblemText('logNotWritten', { path: logFile, wanted: 'file' }));
  if (isUnusable(words, 'file')) notices.push(toProblemText('wordsNotKept', { path: words }));
  const attached = join(folder, 'attachments');
  if (isUnusable(attached, 'folder')) notices.push(toProblemText('attachmentsNotKept', { path: attached }));
  for (const { refusal } of notices) log({ event: 'data_folder_notice', notice: refusal?.name });
  return notices;
}

/** Whether others can still write to the folder after their access was removed where possible. */
function isOpenToOthers(folder: string, log: Log): boolean {
  const user = process.getuid?.();
  // On Windows the mode reveals nothing about permissions.
  if (user === undefined || !groupOrOthersWrite(statSync(folder))) return false;
  try {
    if (isOurs(folder, user)) {
      chmodSync(folder, 0o700);
      log({ event: 'data_folder_narrowed' });
    }
  } catch (error) {
    log({ event: 'data_folder_not_narrowed', ...failureEntry(error) });
  }
  return othersWrite(statSync(folder));
}

const groupOrOthersWrite = ({ mode }: Stats): boolean => (mode & 0o022) !== 0;

/** On many systems each user has a group of their own with the user's number. It doesn't count as others. */
const othersWrite = ({ mode, uid, gid }: Stats): boolean =>
  (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid);

/** Whether the folder and everything in it belongs to this user and was made by Portico. */
const isOurs = (folder: string, user: number): boolean =>
  statSync(folder).uid === user &&
  readdirSync(folder).every(
    (name) => ownNames.some((own) => own.test(name)) && lstatSync(join(folder, name)).uid === user,
  );

export type { CoreOptions } from './composition/open-context.ts';

export interface Core {
  /** Everything that a renderer may call. A host adds the transport. */
  readonly router: CoreRouter;
  /** Converts errors for every host. */
  readonly rpc: ReturnType<typeof rpcErrors>;
  readonly log: Log;
  /** Problems with the data folder that don't stop the app from working. */
  readonly notices: readonly ProblemText[];
  /** Ends running answers, keeps the text received so far, and unlocks the data folder. */
  close(): Promise<void>;
}

/** Opens the core. If that fails, the error explains what is wrong with the database. */
export async function openCore(options: CoreOptions): Promise<Core> {
  try {
    return await openParts(options);
  } catch (error) {
    throw isDamagedDatabase(error) ? await explainFailure(options.dataFolder, error) : error;
  }
}

/** The only place where the parts of the core are connected. It contains no other logic. */
async function openParts(options: CoreOptions): Promise<Core> {
  const { host, dataFolder, platform, elapsed } = options;
  const unlock = lockDataFolder(dataFolder);
  const { context, emptied, stopWaiting } = await openContext(options).catch((error: unknown) => {
    unlock();
    throw error;
  });
  const { db, log, changes, closing: closed } = context;
  const notices = inspectDataFolder(dataFolder, log);
  if (emptied) {
    notices.push(toProblemText('databaseEmptied', { path: join(dataFolder, 'portico.db') }));
    log({ event: 'database_emptied' });
  }
  const network = openNetwork({ byEnvironment: proxyByEnvironment, bySystem: host.proxyFor, log });
  const download = (url: string, asked: DownloadOptions) => guardedDownload(url, { ...asked, route: network.route });
  const connected = { ...options, fetch: options.fetch ?? network.fetch, download };
  const access = await openModels(connected, context).catch(async (error: unknown) => {
    await network.close();
    await db.destroy();
    unlock();
    throw error;
  });
  const { keychain, waiting, gateway, listener, accounts, providers, connections, modelFacts } = access;
  const { hasProvider } = providers;
  const settings = settingsFeature({
    ...context,
    remoteGateway: () => accounts.active()?.source ?? null,
    modelHere: access.models.modelHere,
  });
  const language = async () => (await settings.get()).language;
  // All features share one queue of questions, because a page must not show two at once.
  const ask = createAskPerson({ confirm: host.confirm, elapsed });
  const chats = await openChats(connected, context, access, settings.get, ask);
  const { attachments, tools, lookUpOpenCosts } = chats;
  const library = await openLibrary(options, context, access, chats, language);

  const databaseWorker = openBackground(options.workerFile, join(dataFolder, 'portico.db'));
  const networked = networkFeature({
    ...context,
    network,
    secrets: access.secrets,
    targets: () => callTargets(providers, accounts),
  });

  const { catalogue, whatIf } = catalogueFeature({
    ...context,
    connections,
    listed: access.models.list,
    background: library.background,
    gatewayDatabase: access.gatewayDatabase,
  });
  const quickWindow = quickWindowFeature(context);

  async function switched(): Promise<void> {
    await access.models.switched();
    void lookUpOpenCosts();
  }

  const account = accountFeature({ ...context, connections, hasProvider });
  const router = coreRouter({
    account,
    apiKeys: apiKeysFeature({ ...context, connections, operator: gateway.operator }),
    app: appFeature({
      ...context,
      platform,
      notices,
      keychain,
      problem: () => (accounts.active() ? null : waiting.problem()),
      testSecrets: secretsTest({ ...context, secrets: access.secrets, keychain, backup: library.backup }),
    }),
    attachments,
    caps: chats.caps,
    comparisons: chats.comparisons,
    backup: library.backup,
    catalogue,
    changes,
    chat: Object.assign({}, chats.chat, library.thread),
    context: chats.context,
    conversations: library.conversations,
    credits: creditsFeature({ connections, modelFacts, spend: chats.spend }),
    drafts: draftsFeature(context),
    funds: fundsFeature({ ...context, connections, getBillingAccount: account.getBillingAccount }),
    images: imagesFeature({ download }),
    gateway: gatewayFeature({ ...context, listener, connections }),
    gatewayAccounts: gatewayAccountsFeature({
      ...context,
      accounts,
      switched,
      ask,
      language,
    }),
    ledger: ledgerFeature({
      ...context,
      connections,
      providerName: access.providerName,
      getIds: access.getIds,
      background: databaseWorker,
      quiet: chats.quiet,
      whileClosed: access.whileClosed,
      noteReplaced: access.noteReplaced,
      async restored() {
        await switched();
        changes.emit(...topic.options);
      },
    }),
    messages: library.messages,
    models: access.models,
    network: networked,
    options: optionsFeature({ ...context, store: chats.chatOptions, modelFacts }),
    presets: presetsFeature({ ...context, modelFacts }),
    prompts: promptsFeature(context),
    providers,
    queue: chats.queue,
    quickWindow,
    quotes: chats.quotes,
    organise: library.organise,
    reconciliation: reconciliationFeature({
      ...context,
      connections,
      modelFacts,
      operator: gateway.operator,
      spend: chats.spend,
      background: databaseWorker,
    }),
    search: library.search,
    settings,
    transfer: library.transfer,
    tools: tools.feature,
    updates: updatesFeature(context),
    usage: usageFeature({
      ...context,
      connections,
      modelFacts,
      providerName: access.providerName,
      operator: gateway.operator,
      spend: chats.spend,
      background: library.background,
    }),
    verification: verificationFeature({ ...context, connections }),
    whatIf,
  });

  void waiting.openedLater?.then(() => {
    changes.emit(...topic.options);
    return lookUpOpenCosts();
  });
  host.showSettings(await settings.get());
  const watching = watchLedger({ ...context, connections, every: options.pollIntervals });
  const started = Promise.allSettled([
    keychain.probe(),
    networked.load(),
    quickWindow.load(),
    providers.load(),
    listener.start(),
    attachments.cleanUp(),
  ]);

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    chats.chat.stopStarting();
    await started;
    await library.close();
    await databaseWorker.close();
    await chats.chat.close();
    await context.conversations.removeTemporary();
    await tools.close();
    stopWaiting();
    await watching;
    await listener.close();
    await gateway.drain(drainMs);
    await gateway.close();
    await network.close();
    await db.destroy();
    unlock();
  }

  return {
    router,
    rpc: rpcErrors(log, closed, () => suspectDamage(dataFolder)),
    log,
    notices,
    close: () => (closing ??= close()),
  };
}

/**
 * Creates the data folder and locks it for this process. The lock is an open transaction on its own database file,
 * which the operating system releases however the process ends. Returns a function that unlocks.
 */
export function lockDataFolder(folder: string): () => void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = new Sqlite(join(folder, 'lock.db'), { timeout: 0 });
    try {
      lock.exec('begin exclusive');
    } catch (error) {
      lock.close();
      throw error;
    }
    return () => lock.close();
  } catch (cause) {
    throw refusal('data_folder_unavailable', getReason(cause), { folder }, { cause });
  }
}

function getReason(cause: unknown) {
  if (isDiskFull(cause)) return 'dataFolderFull';
  const isLocked = cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_BUSY';
  return isLocked ? 'dataFolderInUse' : 'dataFolderClosed';
}
