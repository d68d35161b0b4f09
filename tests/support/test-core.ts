import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRouterClient } from '@orpc/server';
import { type CoreOptions, openCore } from '#core/core.ts';
import type { Output } from '#core/host.ts';
import { fakeGateway } from './fake-gateway.ts';
import { memorySecrets } from './memory-secrets.ts';

/** A core on a folder of its own, with a gateway that the test directs; asked as a renderer would, without a transport. */
export async function testCore(
  more: Partial<CoreOptions> = {},
  output: Output = { kind: 'browser', servePrint: () => '/print/page' },
) {
  const dataFolder = more.dataFolder ?? mkdtempSync(join(tmpdir(), 'portico-core-'));
  const gateway = fakeGateway();
  const opened: string[] = [];
  const core = await openCore({
    host: {
      name: 'web',
      version: '0.0.0',
      ownTitleBar: false,
      background: true,
      notices: [],
      output,
      openExternal: async (url) => void opened.push(url),
      showTheme() {},
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
    sandboxPace: 0,
    workerFile: fileURLToPath(new URL('../../electron/core/database-worker.ts', import.meta.url)),
    pageWorkerFile: fileURLToPath(new URL('../../electron/core/tools/page-worker.ts', import.meta.url)),
    ...more,
  });
  const client = createRouterClient(core.router, { interceptors: core.rpc.clientInterceptors });
  return {
    core,
    client,
    gateway,
    opened,
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
