import { join } from 'node:path';
import type { Gateway, GatewayOptions } from '#gateway/gateway.ts';
import { accountFeature } from './account/account.ts';
import { appFeature } from './app/app.ts';
import { openChanges } from './changes.ts';
import { chatFeature, recoverAnswers } from './chat/chat.ts';
import { costLookup } from './chat/cost-lookup.ts';
import { openLiveAnswers } from './chat/live-answers.ts';
import { conversationStore } from './conversations/conversation-store.ts';
import { conversationsFeature } from './conversations/conversations.ts';
import { messageStore } from './conversations/message-store.ts';
import { creditsFeature } from './credits/credits.ts';
import { lockDataFolder } from './data-folder.ts';
import { openDb } from './db.ts';
import { embeddedWallets } from './gateway/embedded-wallets.ts';
import { gatewayFeature } from './gateway/gateway.ts';
import { type Listen, localDoor } from './gateway/local-door.ts';
import { openConnections } from './gateway/open-connections.ts';
import { remoteGateway } from './gateway/remote-gateway.ts';
import type { Host } from './host.ts';
import { openKeychain, type SecretStore } from './keychain.ts';
import { gatewayLog, type Log, openLog } from './log.ts';
import { modelsFeature } from './models/models.ts';
import { modelsStore } from './models/models-store.ts';
import { environmentKeys, providersOf } from './providers/environment-keys.ts';
import { providerStore } from './providers/provider-store.ts';
import { providersFeature } from './providers/providers.ts';
import { type CoreRouter, coreRouter } from './router.ts';
import { rpcErrors } from './rpc-errors.ts';
import { secretBox } from './secret-box.ts';
import { keychainName } from './secret-service.ts';
import { settingsFeature } from './settings/settings.ts';
import { settingsStore } from './settings/settings-store.ts';
import { openTools } from './tools/open-tools.ts';
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

  const gateway = await openEmbedded(options, log);
  const door = localDoor({ gateway, listen: options.listen, store });
  const remote = remoteGateway({ store, secrets, fetch: options.fetch });
  await remote.load();

  const providers = providersFeature({
    gateway,
    store: providerStore(db),
    secrets,
    changes,
    known: providersOf(env),
    environment: environmentKeys(env),
    now,
  });
  const { hasProvider } = providers;
  const connections = openConnections({ remote, embedded: embeddedWallets({ gateway, store, secrets }), hasProvider });
  const source = () => remote.get()?.baseUrl ?? 'embedded';
  const models = modelsFeature({ store: modelsStore(db), connections, source, changes, now, log });
  await models.load();

  const live = openLiveAnswers();
  const { modelFacts } = models;
  const lookUpOpenCosts = costLookup({ messages, connections, live, changes, log, signal: closing.signal });
  const turn = { messages, conversations, connections, live, changes, modelFacts, log, now, newId, lookUpOpenCosts };
  const tools = openTools({
    db,
    secrets,
    changes,
    settings: store,
    fetch: options.fetch,
    version: host.version,
    now,
    newId,
  });
  const settings = settingsFeature({ store, host, changes });
  const chat = chatFeature(turn);
  await recoverAnswers(turn);

  const router = coreRouter({
    account: accountFeature({ connections, hasProvider }),
    app: appFeature({ host, platform, dataFolder, keychain }),
    changes,
    chat,
    conversations: conversationsFeature({ conversations, messages, changes, live }),
    credits: creditsFeature({ connections }),
    gateway: gatewayFeature({ remote, door, connections, changes, elapsed }),
    models,
    providers,
    settings,
    tools: tools.feature,
    usage: usageFeature({ connections }),
  });

  host.showTheme((await settings.get()).theme);
  const started = Promise.allSettled([keychain.probe(), providers.load(), door.start()]);

  async function close(): Promise<void> {
    await started;
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

function openEmbedded(
  { openGateway, dataFolder, sandboxPace, now, fetch: send }: CoreOptions,
  log: Log,
): Promise<Gateway> {
  return openGateway({
    database: join(dataFolder, 'gateway.db'),
    exclusive: true,
    sandboxPace,
    now,
    fetch: send,
    env: {},
    log: gatewayLog(log),
  });
}
