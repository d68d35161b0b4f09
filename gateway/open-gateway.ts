import { AppError } from '#shared/errors.ts';
import { createAuthorizer } from './auth/authorize.ts';
import { pepperBeside, peppersFromEnvironment } from './auth/pepper.ts';
import { tokenNamesFrom } from './auth/token-names.ts';
import { watchCredentials } from './auth/watch-credentials.ts';
import { liveCatalogue } from './catalogue/build-catalogue.ts';
import { chatHandlers } from './chat/chat-forms.ts';
import { aloneCluster, postgresCluster } from './cluster/cluster.ts';
import { createRunning } from './concurrency/running.ts';
import { openDatabaseClock } from './db/database-clock.ts';
import { newId } from './db/id.ts';
import { dialectOf, type OpenBooks, openBooks } from './db/open.ts';
import { awaitServingLock } from './db/serving-lock.ts';
import { createTransact } from './db/transact.ts';
import { createEngine, engineTimeouts } from './engine/engine.ts';
import type { GatewayOptions, OwnGateway } from './gateway.ts';
import { createExchangeAnswerer } from './http/answer-exchange.ts';
import { createApp } from './http/app.ts';
import { fetchExchange } from './http/fetch-exchange.ts';
import { isChat } from './http/policies.ts';
import { version } from './http/version.ts';
import { createKeptAnswers } from './idempotency/kept-answers.ts';
import { createSealing } from './idempotency/sealing.ts';
import { createKeys } from './keys/keys.ts';
import { createLedger, renewEveryMs } from './ledger/ledger-store.ts';
import { createPersistentLedger } from './ledger/persistent-ledger.ts';
import { requireDayQuota } from './ledger/quota.ts';
import { sweepEarlierInstances, sweepEveryMs, sweepExpired } from './ledger/sweeper.ts';
import { createLimits } from './limits/limits.ts';
import { gatewayMetrics } from './metrics/gateway-metrics.ts';
import { createTraffic } from './metrics/traffic.ts';
import { trafficMetrics } from './metrics/traffic-metrics.ts';
import { docsRoutes } from './openapi/docs-routes.ts';
import { createOperator } from './operator/operator-store.ts';
import { createOverload } from './overload/overload.ts';
import { createShedding } from './overload/shedding.ts';
import { createLivePrices } from './prices/live-prices.ts';
import type { ProviderCredential } from './providers/provider.ts';
import { createRegistry, type Registry } from './providers/registry.ts';
import { refusalsOf } from './records/refusals.ts';
import { createRoutingDetails } from './records/routing-details.ts';
import { accountRoutes } from './routes/account-routes.ts';
import { creditsRoutes } from './routes/credits-routes.ts';
import { jwksRoutes } from './routes/jwks-routes.ts';
import { keysRoutes } from './routes/keys-routes.ts';
import { metaRoutes } from './routes/meta-routes.ts';
import { modelsRoutes } from './routes/models-routes.ts';
import { quoteRoutes } from './routes/quote-routes.ts';
import { requestsRoutes } from './routes/requests-routes.ts';
import { usageRoutes } from './routes/usage-routes.ts';
import { createHealth } from './routing/health.ts';
import { createProviderWatch } from './routing/provider-watch.ts';
import { createSticky } from './routing/sticky.ts';
import { platformFetch } from './upstream/upstream-response.ts';

const vendor = 'portico';
const checkTimeoutMs = 15_000;

/**
 * Opens a gateway over its books. Throws `invalid_input` where the key secret or the settings cannot be used,
 * `database_in_use` where another gateway serves this SQLite file, and `internal_error` where the database cannot be opened.
 * Close it to let the process end.
 */
export async function openGateway(options: GatewayOptions): Promise<OwnGateway> {
  const isFile = dialectOf(options.database) === 'sqlite' && options.database !== ':memory:';
  const unlock = isFile ? await awaitServingLock(options.database) : () => {};
  try {
    const gateway = await openUnlocked(options);
    return { ...gateway, close: () => gateway.close().finally(unlock) };
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openUnlocked(options: GatewayOptions): Promise<OwnGateway> {
  const log = options.log ?? (() => {});
  const connections = options.fetch ? null : await ownConnections();
  const send = connections?.fetch ?? platformFetch(options.fetch ?? fetch);
  const byokFeeBps = options.byokFeeBps ?? 0;
  const registry = createRegistry({
    fetch: send,
    sandbox: options.sandbox ?? true,
    sandboxPace: options.sandboxPace ?? 1,
    now: options.now ?? Date.now,
    download: options.download,
    log,
  });
  for (const [id, credential] of Object.entries(options.providers ?? {})) setProvider(registry, id, credential);
  const given = peppersFromEnvironment(options.database, options.env ?? {});
  const tokenNames = tokenNamesFrom(options.env ?? {});
  const books = await openBooks(options.database, log);
  const { db } = books;
  const clock = books.dialect === 'postgres' ? await openDatabaseClock(db).catch(closing(books)) : null;
  const now = options.now ?? clock?.now ?? Date.now;
  const peppers = given ?? (await pepperBeside(options.database, db).catch(closing(books)));
  const transact = createTransact(books);
  const instanceId = newId('inst', now());
  // On SQLite this brings in what an earlier run has left, before anything is read.
  const ledger = createLedger({ db, now, instanceId, log });
  const sweeping = { db, ledger, now, instanceId };
  // Nobody else serves a file: what is open there an earlier run has left.
  const alone = books.dialect === 'sqlite';
  if (alone) await sweepEarlierInstances(sweeping);
  else await sweepExpired(sweeping);

  const running = createRunning();
  const counted = trafficMetrics();
  const traffic = createTraffic(log, counted);
  const authorizer = createAuthorizer({ db, peppers, now, tokenNames });
  const credentials = watchCredentials({ db, now, log });
  const credentialsChanged = () => {
    authorizer.forget();
    credentials.look();
  };
  const prices = await createLivePrices(db);
  const catalogue = liveCatalogue(now, registry.models, { aliases: options.aliases ?? {}, added: prices.current });
  const cluster = clock
    ? postgresCluster({ books, url: options.database, instanceId, clock: options.now ?? null, log })
    : aloneCluster(now);
  const watch = createProviderWatch({ health: createHealth(now, cluster.tell), now, log });
  const { health } = watch;
  await cluster.join({ forget: credentialsChanged, health });
  const sticky = createSticky(now);
  const engine = createEngine({
    ledger: traffic.watch(createPersistentLedger(ledger, now, log)),
    timeouts: { ...engineTimeouts, leaseMs: renewEveryMs, ...options.timeouts },
    fetch: send,
    // The platform's own waits five minutes for an answer to begin, and a whole one may take longer.
    asksWhole: connections !== null,
    ...{ registry, catalogue, health, sticky, running, credentials, now, log, vendor, byokFeeBps },
  });
  const keptAnswers = createKeptAnswers({ transact, sealing: createSealing(peppers), now });
  if (alone) await keptAnswers.freeRunning();
  let retired = false;
  const draining = () => running.draining;
  const leaving = () => retired || running.draining;
  const statements = () => books.pool?.().waiting ?? 0;
  const overload = createOverload({ statements, limits: options.workLimits ?? {} });
  const shedding = createShedding({ overload, count: counted.request, log });
  const receiving = {
    limits: createLimits(cluster.limits, (principal) => requireDayQuota(db, principal, now())),
    ...{ authorizer, draining, leaving, overload, version, now, log: traffic.log },
  };
  const app = createApp(receiving, [
    quoteRoutes({
      limitsFor: ({ principal }, hold) => refusalsOf(db, principal, hold, now()),
      ...{ registry, catalogue, health, sticky, now, vendor, byokFeeBps },
    }),
    modelsRoutes({ catalogue, registry, health, watch, vendor }),
    accountRoutes({ db, now }),
    creditsRoutes({ db }),
    usageRoutes({ db, now }),
    requestsRoutes({ db }),
    jwksRoutes({ db, now }),
    docsRoutes(),
    keysRoutes({ keys: createKeys({ db, transact, peppers, now, credentialsChanged }) }),
    metaRoutes({ db, version, leaving, troubles: watch.troubles }),
  ]);
  const answerChat = createExchangeAnswerer(receiving, chatHandlers({ engine, now, keptAnswers, log }));
  const metrics = gatewayMetrics({ traffic, counted, health, running, overload, cluster, pool: books.pool, version });
  const details = createRoutingDetails({ db, transact, now, days: options.routingDetailDays ?? null, log });
  details.shorten();
  const sweeper = setInterval(() => {
    details.shorten();
    Promise.all([
      sweepExpired(sweeping),
      keptAnswers.forgetOld(),
      cluster.sweep(),
      clock?.sync(),
      prices.reload(),
    ]).catch((error: unknown) => log({ event: 'sweep_failed', cause: String(error) }));
  }, sweepEveryMs);
  sweeper.unref();

  return {
    answerChat,
    shed: shedding.shed,
    async fetch(request, door) {
      const { pathname } = new URL(request.url);
      if (!isChat(request.method, pathname)) return app.fetch(request, door);
      return fetchExchange(request, door?.address ?? null, answerChat);
    },
    operator: createOperator({
      db,
      transact,
      peppers,
      now,
      tokenNames,
      credentialsChanged,
      pricesChanged: prices.reload,
    }),
    setProvider(id, credential) {
      setProvider(registry, id, credential);
      watch.cleared(id);
    },
    async checkProvider(id, credential, signal = AbortSignal.timeout(checkTimeoutMs)) {
      const { provider } = knownProvider(registry, id);
      const context = { credential, signal, fetch: send };
      await (provider.checkKey ? provider.checkKey(context) : provider.models(context));
      watch.cleared(id);
    },
    drain: running.drain,
    retire() {
      retired = true;
    },
    metrics: metrics.text,
    async close() {
      clearInterval(sweeper);
      credentials.close();
      metrics.close();
      shedding.close();
      await running.drain(0);
      await details.close();
      await connections?.close();
      await cluster.close();
      await db.destroy();
    },
  };
}

/** Loaded where it is used: the app's gateway goes by the platform's `fetch`. */
async function ownConnections() {
  const { openUpstreamConnections } = await import('./upstream/upstream-connections.ts');
  return openUpstreamConnections();
}

/** Closes the database again where what comes after its opening fails. */
const closing =
  ({ db }: OpenBooks) =>
  async (error: unknown): Promise<never> => {
    await db.destroy();
    throw error;
  };

function setProvider(registry: Registry, id: string, credential: ProviderCredential | null): void {
  knownProvider(registry, id);
  registry.set(id, credential);
}

function knownProvider(registry: Registry, id: string) {
  const known = registry.get(id);
  if (known) return known;
  const { ids } = registry;
  throw new AppError('invalid_input', `There is no provider "${id}". Providers: ${ids.join(', ')}.`);
}
