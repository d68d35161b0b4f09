import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import type { MessagePortMain } from 'electron';
import { openCore } from '#core/core.ts';
import { simulatedPace } from '#core/gateways/models/simulated-pace.ts';
import { type Channel, serveChannels } from '#core/rpc/serve.ts';
import type { Host } from '#core/runtime/host/host.ts';
import { logFatal } from '#core/runtime/log/log.ts';
import { recoveryOffer } from '#core/storage/database/recovery.ts';
import type { SecretStore } from '#core/storage/secrets/keychain.ts';
import type { SessionMemory } from '#core/storage/secrets/session-memory.ts';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { AppError, type ErrorCode, getProblemText, isErrorCode, refusalIn, toAppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { ToCore } from './core-runner.ts';
import type { mainContract } from './main-contract.ts';

type Main = ContractRouterClient<typeof mainContract>;

/** A client of the main process. Its refusals arrive as the original `AppError`. */
export function mainProcess(port: MessagePortMain): Main {
  const link = new RPCLink({
    port,
    interceptors: [
      async ({ next }) => {
        try {
          return await next();
        } catch (error) {
          throw error instanceof ORPCError && isErrorCode(error.code) ? asItWas(error, error.code) : error;
        }
      },
    ],
  });
  port.start();
  return createORPCClient(link);
}

/** The main process has ended, and this one will. */
const mainEnded = () => {};

interface HostFacts {
  readonly version: string;
  readonly platform: NodeJS.Platform;
  /** The page’s upper row is the title bar. */
  readonly ownTitleBar: boolean;
}

/** The host interface, implemented by calls to the main process. */
export function coreHost(main: Main, { version, platform, ownTitleBar }: HostFacts): Host {
  return {
    name: 'electron',
    version,
    ownTitleBar,
    // On macOS programs stay without a window anyway.
    tray: platform !== 'darwin',
    notices: [],
    output: {
      kind: 'dialog',
      askWhere: (name) => main.askWhere({ name }),
      async printPdf(html, signal) {
        const printed = await main.printPdf(new Blob([html]), { signal }).catch((error: unknown) => {
          if (signal.aborted) throw refusal('cancelled', 'exportGivenUp');
          throw error;
        });
        return new Uint8Array(await printed.arrayBuffer());
      },
    },
    openedFile: (fileId) => main.openedFile({ fileId }),
    openExternal: (url) => main.openExternal({ url }),
    confirm: ({ facts, ...question }, signal) =>
      main
        .confirm({ ...question, facts: facts.map(({ label, lines }) => ({ label, lines: [...lines] })) }, { signal })
        .catch((error: unknown) => {
          if (signal.aborted) return false;
          throw error;
        }),
    spellCheck: true,
    // On macOS they are at the top of the screen, and in a system's title bar above the page.
    showMenu: ownTitleBar && platform !== 'darwin' ? (at) => main.showMenu(at) : null,
    zoom: (to) => main.zoom({ to }),
    showSettings({ theme, language, shortcuts, spellCheck, keepRunning, checkUpdates }) {
      main.showSettings({ theme, language, shortcuts, spellCheck, keepRunning, checkUpdates }).catch(mainEnded);
    },
    openWindow: () => main.openWindow(),
    quickWindow: {
      setKeys: (keys) => main.quickWindow.setKeys({ keys }),
      hide: () => main.quickWindow.hide(),
      continueInMain: (conversationId) => main.quickWindow.continueInMain({ conversationId }),
    },
    updates: {
      follow(changed) {
        const all = async () => {
          for await (const state of await main.updates.follow()) changed(state);
        };
        all().catch(mainEnded);
      },
      check: () => main.updates.check(),
      install: () => main.updates.install(),
      postpone: () => main.updates.postpone(),
    },
    showProxy({ proxy, address, username, password, bypass }) {
      main.showProxy({ proxy, address, username, password, bypass }).catch(mainEnded);
    },
    notify(notice) {
      main.notify(notice).catch(mainEnded);
    },
    proxyFor: (origin) => main.proxyFor({ origin }),
    showRunning(answers) {
      main.showRunning({ answers }).catch(mainEnded);
    },
  };
}

/** Secrets of this session, held by the main process. */
const mainSession = ({ session }: Main): SessionMemory => ({
  all: () => session.all(),
  set: (account, secret) => session.set({ account, secret }),
  remove: (account) => session.remove({ account }),
});

/** The keychain, accessed by the main process. */
const mainSecrets = ({ secrets }: Main): SecretStore => ({
  get: (account) => secrets.get({ account }),
  set: (account, secret) => secrets.set({ account, secret }),
  remove: (account) => secrets.remove({ account }),
});

function asItWas({ message, data }: ORPCError<string, unknown>, code: ErrorCode): AppError {
  const refusal = refusalIn(data);
  return new AppError(code, message, refusal ? { refusal } : {});
}

export interface MainPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  postMessage(message: unknown): void;
  start(): void;
}

const maxUnread = 256;

/**
 * A window’s message port. It has no back-pressure of its own: the page reports how many messages it has read (as plain
 * numbers), and sending pauses while too many are unread.
 */
export function portChannel(port: MainPort): Channel {
  let unread = 0;
  let closed = false;
  let waiting: (() => void)[] = [];
  const wakeAll = () => {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  port.on('close', () => {
    closed = true;
    wakeAll();
  });
  return {
    onMessage(listener) {
      port.on('message', ({ data }) => {
        if (typeof data !== 'number') return listener(data);
        unread = data > 0 ? Math.max(0, unread - data) : unread;
        wakeAll();
      });
      port.start();
    },
    onClose: (listener) => void port.on('close', listener),
    async send(data) {
      while (unread >= maxUnread && !closed) await new Promise<void>((resolve) => waiting.push(resolve));
      if (closed) return;
      unread += 1;
      port.postMessage(data);
    },
  };
}

/** Entry point of the core’s process: core, gateway and databases. */

const { env, platform, parentPort } = process;
/** Time for the last messages of a closed window to arrive. */
const lastWordsMs = 2000;
const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Files in the data folder are readable by this user only.
process.umask(0o077);

parentPort.once('message', ({ data, ports: [port] }) => {
  const message: ToCore = data;
  if (message.kind !== 'open' || !port) throw new Error('the core was not opened first');
  void run(message, port);
});

type Opening = Extract<ToCore, { kind: 'open' }>;

async function run({ dataFolder, version, ownTitleBar, recovery }: Opening, port: MessagePortMain): Promise<void> {
  endOnFaults(dataFolder);
  const main = mainProcess(port);
  const windows = new Set<Promise<unknown>>();
  const opening = openCore({
    host: coreHost(main, { version, platform, ownTitleBar }),
    dataFolder,
    recovery,
    env,
    platform,
    now: Date.now,
    elapsed: () => performance.now(),
    newId: randomUUID,
    openGateway,
    listen,
    openSecrets: async () => mainSecrets(main),
    session: mainSession(main),
    sandboxPace: simulatedPace(env),
    workerFile: beside('./database-worker.js'),
    pageWorkerFile: beside('./page-worker.js'),
    documentWorkerFile: beside('./document-worker.js'),
    importWorkerFile: beside('./import-worker.js'),
  });
  const serving = opening.then(serveChannels);

  async function close(): Promise<never> {
    await Promise.race([Promise.all(windows), new Promise((done) => setTimeout(done, lastWordsMs))]);
    await (await opening).close();
    process.exit(0);
  }

  parentPort.on('message', ({ data, ports: [window] }) => {
    const message: ToCore = data;
    if (message.kind === 'close') void close();
    if (message.kind !== 'window' || !window) return;
    const closed = once(window, 'close');
    windows.add(closed);
    void closed.then(() => windows.delete(closed));
    void serving.then((serve) => serve(portChannel(window)));
  });
  // The main process crashed. The next one needs the data folder, and finds what was written.
  port.once('close', () => process.exit(1));

  const outcome = await serving.then(
    () => ({ failure: null, offer: null }),
    (error: unknown) => {
      logFatal(dataFolder, 'start-failed', error);
      return { failure: getProblemText(toAppError(error)), offer: recoveryOffer(error) };
    },
  );
  await main.opened(outcome);
}

/** After an uncaught error no state is certain: it is logged, the process ends, and a new core starts. */
function endOnFaults(dataFolder: string): void {
  const end = (error: unknown): never => {
    logFatal(dataFolder, 'core-fault', error);
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
