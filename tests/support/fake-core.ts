import { RPCLink } from '@orpc/client/message-port';
import { implement, ORPCError } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import type { Topic } from '#shared/contract/app/changes.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { contract } from '#shared/contract/index.ts';
import { fakeBackup } from './fake-backup.ts';
import { fakeCatalogue } from './fake-catalogue.ts';
import { fakeChannel } from './fake-channel.ts';
import { type FakeOptions, fakeChat, missing } from './fake-chat.ts';
import { fakeComparisons } from './fake-comparisons.ts';
import { type FakeComposer, fakeComposer, fakeComposerRouter } from './fake-composer.ts';
import { fakeConnections } from './fake-connections.ts';
import { type FakeData, fakeData, fakePicture } from './fake-data.ts';
import { fakeDesktop } from './fake-desktop.ts';
import { fakeCredits, fakeInsights, fakeLines, fakeUsage } from './fake-ledger.ts';
import { fakeMessages } from './fake-messages.ts';
import { fakeNetwork } from './fake-network.ts';
import { fakeOrganise } from './fake-organise.ts';
import { type FakeLedger, fakeLedgerFiles, fakeReconciliation } from './fake-reconciliation.ts';
import { fakeTools } from './fake-tools.ts';
import { fakeTransfer } from './fake-transfer.ts';

export interface FakeCore {
  /** The connection that `createApi` takes. */
  readonly link: RPCLink<Record<never, never>>;
  readonly data: FakeData;
  /** Drafts, queue, prompts, presets, caps and the quote. */
  readonly composer: FakeComposer;
  readonly gatewayDb: FakeLedger;
  /** Makes a method such as `models.list` fail with a code from now on. Null makes it work again. */
  fail(method: string, code: string | null, message?: string, retryAfterMs?: number | null): void;
  /**
   * Makes a method wait until it is released. With `answered` the method reads its answer first and then waits, so the
   * answer is outdated by the time it arrives.
   */
  hold(method: string, held: boolean | 'answered'): void;
  changed(...topics: Topic[]): void;
  /** Appends to the running answer; `finish` ends it as the gateway would. */
  write(text: string): void;
  finish(change?: Partial<Message>): void;
  /** Breaks every open stream, as a lost connection would. */
  cut(): void;
  readonly calls: string[];
}

/** Implements the complete contract in memory, at the other end of a real MessageChannel. */
export function createFakeCore(change: Partial<FakeData> = {}, options: FakeOptions = {}): FakeCore {
  const data: FakeData = { ...fakeData(), ...change };
  const composer = fakeComposer();
  const gatewayDb: FakeLedger = { requests: 0, part: null };
  const failures = new Map<string, { code: string; message: string; retryAfterMs: number | null }>();
  const held = new Map<string, { promise: Promise<void>; open: () => void }>();
  const late = new Set<string>();
  const calls: string[] = [];
  const changes = fakeChannel<{ topics: Topic[] }>();

  const guard = async (method: string) => {
    calls.push(method);
    if (!late.has(method)) await held.get(method)?.promise;
    const failure = failures.get(method);
    if (!failure) return;
    const { code, message, retryAfterMs } = failure;
    throw new ORPCError(code, { message, data: { retryAfterMs, details: null } });
  };
  const changed = (...topics: Topic[]) => {
    if (topics.includes('messages')) threads.events.send('all-changed');
    changes.send({ topics });
  };
  const afterFirst = () => (late.has('chat.watch') ? held.get('chat.watch')?.promise : undefined);
  const threads = fakeChat(data, options, { guard, changed, afterFirst });
  const os = implement(contract);
  const organise = fakeOrganise(data, guard, changed);
  const tools = fakeTools(data.tools, guard, () => changed('tools'));
  const desktop = fakeDesktop(guard);
  const router = os.router({
    ...fakeComposerRouter(composer, { guard, changed }),
    app: {
      info: os.app.info.handler(async () => {
        await guard('app.info');
        return data.app;
      }),
      showMenu: os.app.showMenu.handler(() => guard('app.showMenu')),
      zoom: os.app.zoom.handler(() => guard('app.zoom')),
      openWindow: os.app.openWindow.handler(() => guard('app.openWindow')),
      testSecrets: desktop.testSecrets,
      openLink: os.app.openLink.handler(async ({ input }) => {
        await guard('app.openLink');
        data.opened.push(input.url);
      }),
    },
    backup: fakeBackup(data, guard, changed),
    ...fakeCatalogue(data, guard),
    network: fakeNetwork(guard),
    quickWindow: desktop.quickWindow,
    updates: desktop.updates,
    tools,
    changes: { watch: os.changes.watch.handler(async ({ signal }) => changes.open(signal)) },
    settings: {
      get: os.settings.get.handler(async () => {
        await guard('settings.get');
        return data.settings;
      }),
      update: os.settings.update.handler(async ({ input }) => {
        await guard('settings.update');
        data.settings = { ...data.settings, ...withoutUndefined(input) };
        changed('settings');
        return data.settings;
      }),
    },
    models: {
      list: os.models.list.handler(async () => {
        await guard('models.list');
        return {
          models: data.models,
          fetchedAt: Date.now() - 240_000,
          problem: data.modelsProblem === null ? null : { message: data.modelsProblem },
          retryAfterMs: null,
        };
      }),
      payer: os.models.payer.handler(async ({ input }) => {
        await guard('models.payer');
        const asked = data.models.find(({ id }) => id === input.model);
        const real = data.models.some(
          (model) => model.kind === 'chat' && model.status === 'available' && !model.simulated,
        );
        const simulated = input.model === 'router' ? !real : asked?.simulated;
        return { billingAccount: simulated ? 'sandbox' : 'main', ownKey: null };
      }),
    },
    conversations: {
      list: os.conversations.list.handler(async ({ input }) => {
        await guard('conversations.list');
        return organise.list(input);
      }),
      keepScrollPosition: os.conversations.keepScrollPosition.handler(async ({ input }) => {
        await guard('conversations.keepScrollPosition');
        data.scrollPositions[input.id] = input.scrollPosition;
      }),
      opened: os.conversations.opened.handler(async ({ input }) => {
        await guard('conversations.opened');
        data.lastOpened = input.id;
        const left = data.conversations.filter((entry) => entry.temporary && entry.id !== input.id);
        return { leaving: left.map((entry) => entry.id) };
      }),
      lastOpened: os.conversations.lastOpened.handler(async () => {
        await guard('conversations.lastOpened');
        return { id: data.lastOpened };
      }),
      rename: os.conversations.rename.handler(async ({ input }) => {
        await guard('conversations.rename');
        const conversation = data.conversations.find((entry) => entry.id === input.id);
        if (!conversation) throw missing();
        conversation.title = input.title;
        changed('conversations', 'messages');
        return conversation;
      }),
      fork: os.conversations.fork.handler(async () => {
        await guard('conversations.fork');
        throw missing();
      }),
      keep: os.conversations.keep.handler(async ({ input }) => {
        await guard('conversations.keep');
        for (const entry of data.conversations) if (entry.id === input.id) entry.temporary = false;
        changed('conversations', 'messages');
      }),
      remove: os.conversations.remove.handler(async ({ input }) => {
        await guard('conversations.remove');
        data.conversations = data.conversations.filter((entry) => entry.id !== input.id);
        changed('conversations');
      }),
    },
    comparisons: fakeComparisons(data, composer, { guard, changed }),
    organise: organise.organise,
    search: organise.search,
    chat: threads.chat,
    messages: fakeMessages(data, threads.thread, { guard, changed }),
    account: {
      wallets: os.account.wallets.handler(async () => {
        await guard('account.wallets');
        return data.billingAccounts;
      }),
      get: os.account.get.handler(async ({ input }) => {
        await guard('account.get');
        return data.account[input.billingAccount];
      }),
      quotas: os.account.quotas.handler(async () => {
        await guard('account.quotas');
        return [];
      }),
    },
    credits: {
      get: os.credits.get.handler(async ({ input }) => {
        await guard('credits.get');
        return fakeCredits(data, input.billingAccount, input.limit, input.after ?? null);
      }),
    },
    images: {
      fetch: os.images.fetch.handler(async () => {
        await guard('images.fetch');
        return fakePicture;
      }),
    },
    ledger: fakeLedgerFiles(guard),
    reconciliation: fakeReconciliation(gatewayDb, guard),
    transfer: fakeTransfer(guard),
    usage: {
      get: os.usage.get.handler(async ({ input }) => {
        await guard('usage.get');
        return fakeUsage(data, input.groupBy, input.period);
      }),
      insights: os.usage.insights.handler(async () => {
        await guard('usage.insights');
        return fakeInsights(data);
      }),
      requests: os.usage.requests.handler(async () => {
        await guard('usage.requests');
        return { data: fakeLines(data), after: null };
      }),
      export: os.usage.export.handler(async function* () {
        await guard('usage.export');
        yield { text: 'request_id\r\n', done: 0 };
      }),
    },
    ...fakeConnections(data, guard, changed),
  });

  const { port1, port2 } = new MessageChannel();
  new RPCHandler(router).upgrade(port1);
  port1.start();
  port2.start();
  return {
    link: new RPCLink({ port: port2 }),
    data,
    composer,
    gatewayDb,
    calls,
    changed,
    write: threads.write,
    finish: threads.finish,
    fail(method, code, message = 'The gateway answered with an error.', retryAfterMs = null) {
      if (code === null) failures.delete(method);
      else failures.set(method, { code, message, retryAfterMs });
    },
    hold(method, hold) {
      held.get(method)?.open();
      held.delete(method);
      if (hold === 'answered') late.add(method);
      else late.delete(method);
      if (!hold) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(method, { promise, open: resolve });
    },
    cut() {
      changes.cut();
      threads.events.cut();
    },
  };
}

function withoutUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as never;
}
