import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { MessagePortMain } from 'electron';
import { openCore } from '#core/core.ts';
import { simulatedPace } from '#core/gateways/models/simulated-pace.ts';
import { serveChannels } from '#core/rpc/serve.ts';
import { logFatal } from '#core/runtime/log/log.ts';
import { recoveryOffer } from '#core/storage/database/recovery.ts';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { getProblemText, toAppError } from '#shared/errors.ts';
import { portChannel } from '../port-channel.ts';
import { coreHost, mainProcess, mainSecrets, mainSession } from './core-host.ts';
import type { ToCore } from './core-runner.ts';

/** The entry point of the core's process: core, gateway and databases. */

const { env, platform, parentPort } = process;
/** How long to wait for the last messages of a closed window. */
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
  // The main process crashed. Its successor needs the data folder, and finds everything that was written.
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

/**
 * After an uncaught error the state can't be trusted. The error is logged, this process ends, and a new core starts.
 */
function endOnFaults(dataFolder: string): void {
  const end = (error: unknown): never => {
    logFatal(dataFolder, 'core-fault', error);
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
