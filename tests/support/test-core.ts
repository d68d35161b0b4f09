import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createRouterClient } from '@orpc/server';
import { type CoreOptions, openCore } from '#core/core.ts';
import type { Question } from '#core/runtime/host/ask-person.ts';
import type { Host } from '#core/runtime/host/host.ts';
import { sessionMemory } from '#core/storage/secrets/session-memory.ts';
import { builtThreads } from './built-threads.ts';
import { fakeGateway } from './fake-gateway.ts';
import { memorySecrets } from './memory-secrets.ts';
import { unusedDataFolder } from './unused-data.ts';

type TestCoreOptions = Partial<CoreOptions> & Partial<Pick<Host, 'confirm' | 'output' | 'openedFile'>>;

/**
 * Opens a core on a folder of its own, with a gateway that the test directs. The client calls it as a renderer would,
 * but without a transport. A person who is asked agrees, unless `confirm` decides otherwise.
 */
export async function testCore({
  confirm,
  output = { kind: 'browser', servePrint: () => '/print/page' },
  openedFile = async () => null,
  ...more
}: TestCoreOptions = {}) {
  const dataFolder = more.dataFolder ?? (await unusedDataFolder());
  const threads = await builtThreads();
  const gateway = fakeGateway();
  const opened: string[] = [];
  const questions: Question[] = [];
  const core = await openCore({
    host: {
      name: 'web',
      version: '0.0.0',
      ownTitleBar: false,
      tray: false,
      notices: [],
      output,
      openedFile,
      openExternal: async (url) => void opened.push(url),
      async confirm(question, signal) {
        questions.push(question);
        return confirm ? confirm(question, signal) : true;
      },
      showMenu: null,
      zoom: null,
      spellCheck: false,
      notify: null,
      proxyFor: null,
      quickWindow: null,
      openWindow: null,
      updates: null,
      showProxy: null,
      showRunning() {},
      showSettings() {},
    },
    dataFolder,
    env: {},
    platform: 'linux',
    now: Date.now,
    elapsed: () => performance.now(),
    newId: randomUUID,
    fetch,
    openGateway: async () => gateway,
    listen: async (_, { port }) => ({ url: `http://127.0.0.1:${port}`, close: async () => {} }),
    openSecrets: async () => memorySecrets(),
    session: sessionMemory(),
    sandboxPace: 0,
    // Tests announce changes or poll themselves.
    pollIntervals: { embedded: 3_600_000, remote: 3_600_000 },
    workerFile: join(threads, 'database-worker.js'),
    documentWorkerFile: join(threads, 'document-worker.js'),
    importWorkerFile: join(threads, 'import-worker.js'),
    pageWorkerFile: join(threads, 'page-worker.js'),
    ...more,
  });
  const client = createRouterClient(core.router, { interceptors: core.rpc.clientInterceptors });
  return {
    core,
    client,
    gateway,
    opened,
    questions,
    dataFolder,
    async close() {
      await core.close();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

/** Reads a watched chat until the test has seen what it waits for. */
export async function readUntil<T>(stream: AsyncIterable<T>, enough: (seen: readonly T[]) => boolean): Promise<T[]> {
  const seen: T[] = [];
  for await (const item of stream) {
    seen.push(item);
    if (enough(seen)) break;
  }
  return seen;
}
