import { randomBytes } from 'node:crypto';
import { toAppError } from '#shared/errors.ts';
import { parseUsd } from '#shared/money.ts';
import { getPlan } from '../../gateway/access/auth/plans.ts';
import type { Plan } from '../../gateway/access/auth/principal.ts';
import { createOverload } from '../../gateway/access/overload/overload.ts';
import { type StreamTimes, streamTimes } from '../../gateway/api/chat/stream-writer.ts';
import { exchangeHandlers } from '../../gateway/composition/open-http.ts';
import { createEngine, type EngineTimeouts, engineTimeouts } from '../../gateway/engine/engine.ts';
import { createKeptAnswers } from '../../gateway/engine/idempotency/kept-answers.ts';
import { createSealing } from '../../gateway/engine/idempotency/sealing.ts';
import { createReasoningState } from '../../gateway/engine/reasoning/reasoning-state.ts';
import { createHealth } from '../../gateway/engine/routing/health.ts';
import { createSticky } from '../../gateway/engine/routing/resolve.ts';
import { errorAnswer } from '../../gateway/http/error-response.ts';
import type { HttpExchange } from '../../gateway/http/exchange.ts';
import { RequestContext } from '../../gateway/http/request-context.ts';
import type { Ledger } from '../../gateway/ledger/ledger.ts';
import { createLedger } from '../../gateway/ledger/ledger-store.ts';
import type { CatalogueModel } from '../../gateway/models/catalogue/catalogue.ts';
import { fetchExchange } from '../../gateway/open-gateway.ts';
import { grantCredits } from '../../gateway/operations/operator/operator-store.ts';
import type { ProviderCredential } from '../../gateway/providers/provider.ts';
import { createRegistry } from '../../gateway/providers/registry.ts';
import { openUpstreamConnections } from '../../gateway/providers/upstream/upstream-connections.ts';
import { platformFetch } from '../../gateway/providers/upstream/upstream-response.ts';
import { createRunning } from '../../gateway/runtime/concurrency/running.ts';
import { openDatabase } from '../../gateway/storage/open-database.ts';
import { createTransact } from '../../gateway/storage/transact.ts';
import { testDatabase } from './test-database.ts';
import { testPrincipal, testReceiving } from './test-receiving.ts';

export interface BenchOptions {
  readonly plan?: string | Plan;
  readonly balance?: string;
  readonly models?: readonly CatalogueModel[];
  readonly providers?: Readonly<Record<string, ProviderCredential>>;
  readonly sandbox?: boolean;
  readonly pace?: number;
  readonly timeouts?: Partial<EngineTimeouts>;
  readonly streamTimes?: Partial<StreamTimes>;
  /** How long a reader in this process may read nothing, in milliseconds. */
  readonly readerMs?: number;
  readonly now?: () => number;
  readonly fetch?: typeof fetch;
  /** Stands for the disk: a commit is durable when this resolves. */
  readonly sync?: () => Promise<void>;
}

/**
 * Opens the chat part of the gateway for tests, with the real engine, adapters, routes and ledger. Only the caller is
 * given instead of being authenticated.
 */
export async function openChatBench(options: BenchOptions = {}) {
  const gatewayDb = await openDatabase(await testDatabase());
  const transact = createTransact(gatewayDb);
  const now = options.now ?? Date.now;
  const connections = openUpstreamConnections();
  const send = options.fetch ? platformFetch(options.fetch) : connections.fetch;
  const plan = typeof options.plan === 'object' ? options.plan : getPlan(options.plan ?? 'pro');
  await gatewayDb.db
    .insertInto('accounts')
    .values({
      id: 'acct_1',
      name: 'A',
      email: null,
      plan: plan.id,
      status: 'active',
      created: 0n,
      balance: 0n,
      held: 0n,
      granted: 0n,
      used: 0n,
    })
    .execute();
  const balance = parseUsd(options.balance ?? '10');
  if (balance > 0n) await transact((trx) => grantCredits(trx, { accountId: 'acct_1', amount: balance }, now()));

  const logged: Readonly<Record<string, unknown>>[] = [];
  const log = (entry: Readonly<Record<string, unknown>>) => void logged.push(entry);
  const registry = createRegistry({
    fetch: send,
    sandbox: options.sandbox ?? true,
    sandboxPace: options.pace ?? 0,
    log,
  });
  for (const [id, credential] of Object.entries(options.providers ?? {})) registry.set(id, credential);
  const running = createRunning();
  const health = createHealth(now);
  const ledger = createLedger({ db: gatewayDb.db, now, instanceId: 'inst_a' });
  const sealing = createSealing([randomBytes(32)]);
  const reasoning = createReasoningState({ db: gatewayDb.db, transact, sealing, now });
  const engine = createEngine({
    reasoning,
    credentials: { watch: () => () => {} },
    ledger: options.sync ? syncedBy(ledger, options.sync) : ledger,
    registry,
    catalogue: () => ({
      version: '2026-11-20',
      embeddings: [],
      offered: [],
      priced: (model) => model,
      models: [...(options.models ?? []), ...registry.models()],
    }),
    health,
    sticky: createSticky(now),
    running,
    now,
    fetch: send,
    isNonStreaming: !options.fetch,
    log,
    vendor: 'portico',
    byokFeeBps: 0,
    timeouts: { ...engineTimeouts, ...options.timeouts },
  });
  const keptAnswers = createKeptAnswers({ transact, sealing, now });
  const principal = testPrincipal(plan, null);
  const noAuthorizer = { authenticate: () => principal, forget: () => {} };
  const receiving = testReceiving({ authorizer: noAuthorizer, now });
  const handlers = exchangeHandlers({
    engine,
    now,
    keptAnswers,
    reasoning,
    log,
    streamTimes: { ...streamTimes, ...options.streamTimes },
  });
  const answer = async (exchange: HttpExchange) => {
    const context = new RequestContext(exchange, receiving);
    const memoryLease = createOverload({ statements: () => 0 }).enterOther('');
    try {
      await handlers.get(exchange.target)?.(Object.assign(context, { principal, memoryLease }), exchange);
    } catch (error) {
      const { status, headers, text } = errorAnswer(toAppError(error), context.requestId);
      exchange.send(status, headers, text);
    }
  };

  return {
    engine,
    registry,
    health,
    running,
    principal,
    logged,
    db: gatewayDb.db,
    answerChat: answer,
    /** Sends a body unchanged, even if it isn't JSON. */
    postText: (path: string, body: string) =>
      fetchExchange(new Request(`http://127.0.0.1${path}`, { method: 'POST', body }), null, answer),
    post: (path: string, body: unknown, init: { headers?: Record<string, string>; signal?: AbortSignal } = {}) =>
      fetchExchange(
        new Request(`http://127.0.0.1${path}`, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json', ...init.headers },
          ...(init.signal ? { signal: init.signal } : {}),
        }),
        null,
        answer,
        options.readerMs,
      ),
    requests: () => gatewayDb.db.selectFrom('requests').selectAll().orderBy('id').execute(),
    /** Returns the only request in the ledger, once its answer has ended. */
    async onlyRequest() {
      await running.drain(5_000);
      const rows = await gatewayDb.db.selectFrom('requests').selectAll().execute();
      const [row] = rows;
      if (!row || rows.length !== 1) throw new Error(`${rows.length} requests are in the ledger`);
      return row;
    },
    async account(): Promise<{ balance: bigint; held: bigint }> {
      return gatewayDb.db.selectFrom('accounts').select(['balance', 'held']).executeTakeFirstOrThrow();
    },
    async close() {
      await running.drain(5_000);
      await connections.close();
      await gatewayDb.db.destroy();
    },
  };
}

export type ChatBench = Awaited<ReturnType<typeof openChatBench>>;

/** Wraps a ledger so that a commit takes as long as `sync` does. */
const syncedBy = (ledger: Ledger, sync: () => Promise<void>): Ledger => ({
  ...ledger,
  async decide(request) {
    const held = await ledger.decide(request);
    return {
      amount: held.amount,
      get durable() {
        return held.durable.then(sync);
      },
    };
  },
  async settle(settlement) {
    const settled = await ledger.settle(settlement);
    await sync();
    return settled;
  },
});
