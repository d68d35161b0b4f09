import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDispatchFetch } from './dispatch-fetch.ts';
import { pushBytes, upstreamBytes } from './upstream-fetch.ts';

/** An upstream that sends as much as is read, in small pieces as models write them. */
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(1_000)));
    };
    response.on('drain', more);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function opened() {
  const sockets: Socket[] = [];
  const connector = buildConnector({});
  const dispatcher = new Agent({
    connect(options, callback) {
      connector(options, (...given) => {
        if (given[1]) sockets.push(given[1]);
        callback(...given);
      });
    },
  });
  const stop = new AbortController();
  const response = await createDispatchFetch(dispatcher)(url, {
    method: 'GET',
    headers: {},
    redirect: 'manual',
    signal: stop.signal,
  });
  const kept = () => sockets.reduce((sum, { readableLength }) => sum + readableLength, 0);
  return { response, kept, stop };
}

const aMoment = () => new Promise<void>((resolve) => setImmediate(resolve));
const maxKept = 262_144;

test('little more is read from the upstream than a sink took, however often the sink asks to wait', async () => {
  const { response, kept, stop } = await opened();
  let waits = 0;
  let maxWaiting = 0;
  const take = async () => {
    waits += 1;
    await aMoment();
    maxWaiting = Math.max(maxWaiting, kept());
    if (waits === 1_000) stop.abort(new Error('seen enough'));
  };
  await expect(pushBytes(response, 'test', take, {})).rejects.toThrow();
  expect(waits).toBeGreaterThanOrEqual(1_000);
  expect(maxWaiting).toBeLessThan(maxKept);
});

test('a connection that broke while nobody read fails every later read, and never looks like an end', async () => {
  const { response, stop } = await opened();
  const reader = response.body?.getReader();
  stop.abort(new Error('broken off'));
  const rest = async () => {
    while (!(await reader?.read())?.done);
  };
  await expect(rest()).rejects.toThrow('broken off');
  await expect(rest()).rejects.toThrow('broken off');
});

test('little more is read from the upstream than a reader took, however slowly it reads', async () => {
  const { response, kept, stop } = await opened();
  let maxWaiting = 0;
  let pieces = 0;
  for await (const _piece of upstreamBytes(response, 'test')) {
    await aMoment();
    maxWaiting = Math.max(maxWaiting, kept());
    pieces += 1;
    if (pieces === 1_000) break;
  }
  stop.abort(new Error('seen enough'));
  expect(maxWaiting).toBeLessThan(maxKept);
});
