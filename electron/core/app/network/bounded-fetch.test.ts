import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { figure } from '../../../../tests/support/figures.ts';
import { boundedFetch } from './bounded-fetch.ts';

const limits = { body: 4_000_000, event: 1_000_000 };

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Sends the same block again and again until the reader disconnects. `sent` returns how many bytes were sent. */
function endless(type: string, block: string): { readonly answer: RequestListener; readonly sent: () => number } {
  let sent = 0;
  const answer: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-type': type });
    const more = () => {
      while (!response.destroyed) {
        sent += block.length;
        if (!response.write(block)) return void response.once('drain', more);
      }
    };
    more();
  };
  return { answer, sent: () => sent };
}

test.each([
  ['application/json', `[${'1,'.repeat(30_000)}`],
  ['text/html', 'x'.repeat(60_000)],
  ['text/event-stream', `data: ${'x'.repeat(60_000)}`],
])('an endless body of %s is given up, and its connection is closed', async (type, block) => {
  const { answer, sent } = endless(type, block);
  const url = await serve(answer);
  const response = await boundedFetch(fetch, limits)(url);
  await expect(response.text()).rejects.toMatchObject({ code: 'upstream_bad_response' });
  // Both sockets have buffers, which add to what was sent.
  expect(sent()).toBeLessThan(limits.body + 30_000_000);
  figure('bodies without end', `${type}: given up`);
});

test('ordinary answers arrive completely: long bodies, and long streams of small events', async () => {
  const long = JSON.stringify(Array.from({ length: 1_000 }, (_, id) => ({ id, description: 'x'.repeat(2_000) })));
  const event = `data: ${'y'.repeat(1_000)}\n\n`;
  const url = await serve((request, response) => {
    const isStream = request.url === '/stream';
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(isStream ? event.repeat(20_000) : long);
  });
  const send = boundedFetch(fetch, limits);
  expect(await (await send(url)).json()).toHaveLength(1_000);
  const stream = await (await send(`${url}stream`)).text();
  expect(stream).toHaveLength(event.length * 20_000);
});

test('an answer without a body keeps its status and headers', async () => {
  const url = await serve((_request, response) => void response.writeHead(204, { 'x-kind': 'none' }).end());
  const response = await boundedFetch(fetch, limits)(url);
  expect([response.status, response.headers.get('x-kind'), response.body]).toEqual([204, 'none', null]);
});
