import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { ToolTransport } from '#shared/contract/app/tools.ts';
import { blockedMs, maxHeld } from '../../../../tests/support/longest-held.ts';
import { memoryTaken } from '../../../../tests/support/memory-taken.ts';
import { boundedFetch } from '../../app/network/bounded-fetch.ts';
import { messageLimits } from './bounded-messages.ts';
import { connectMcp } from './mcp-connection.ts';

const listing = fileURLToPath(new URL('../../../../tests/support/mcp/listing.ts', import.meta.url));
const flood = fileURLToPath(new URL('../../../../tests/support/mcp/flood.ts', import.meta.url));
const never = new AbortController().signal;
const tooMuch = /^The server sent too much at once: Portico reads up to 10 MB and 200,000 values of one answer/;

const program = (...args: string[]): ToolTransport => ({
  type: 'stdio',
  command: process.execPath,
  args,
  folder: null,
  variables: [],
});

/** Starts a remote server whose tools have this many fields each. */
async function remoteServer(tools: number, fields: number): Promise<ToolTransport> {
  const field = { type: 'string', description: 'What the person wrote, in the words of the person' };
  const properties = Object.fromEntries(Array.from({ length: fields }, (_, index) => [`field_${index}`, field]));
  const listed = Array.from({ length: tools }, (_, index) => ({
    name: `tool_${index}`,
    inputSchema: { type: 'object', properties },
  }));
  const list = JSON.stringify({ tools: listed });
  const server = createServer(async (request, response) => {
    const body = await new Response(request as never).text();
    const { id, method, params } = JSON.parse(body || '{}') as {
      id?: number | string;
      method?: string;
      params?: { protocolVersion: string };
    };
    if (request.method !== 'POST' || id === undefined) {
      response.writeHead(request.method === 'POST' ? 202 : 405).end();
      return;
    }
    const hello = {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'far', version: '1' },
    };
    const result = method === 'initialize' ? JSON.stringify(hello) : method === 'tools/list' ? list : null;
    const answer = result === null ? '"error":{"code":-32601,"message":"no"}' : `"result":${result}`;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${answer}}`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return { type: 'http', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, headers: [] };
}

async function connect(transport: ToolTransport, closed: (output: string | null) => void = () => {}) {
  const connection = await connectMcp({
    transport,
    secrets: {},
    searchPath: null,
    version: '0.0.0',
    fetch: boundedFetch(fetch, messageLimits),
    closed,
  });
  onTestFinished(() => connection.close());
  return connection;
}

test.each([
  ['200 tools of 2,000 fields, from a program', async () => program(listing, '200', '2000')],
  ['200 tools of 2,000 fields, from a remote server', async () => remoteServer(200, 2_000)],
  ['200 tools of 500 fields, from a program', async () => program(listing, '200', '500')],
  ['200 tools of 500 fields, from a remote server', async () => remoteServer(200, 500)],
])(
  'a tool list that is too large is refused with an explanation and does not block the thread: %s',
  async (_name, server) => {
    const transport = await server();
    const [taken, held] = [memoryTaken(), maxHeld()];
    await expect(connect(transport)).rejects.toMatchObject({
      code: 'tool_server_failed',
      message: expect.stringMatching(tooMuch),
    });
    expect(taken()).toBeLessThan(1_000);
    expect(held()).toBeLessThan(blockedMs);
  },
);

test.each(['values', 'lists'])('an answer of too many %s fails only its call', async (tool) => {
  const server = await connect(program(flood));
  const held = maxHeld();
  await expect(server.call(tool, {}, never)).rejects.toMatchObject({
    code: 'tool_failed',
    message: expect.stringMatching(tooMuch),
  });
  expect(held()).toBeLessThan(blockedMs);
  expect(await server.call('word', {}, never)).toEqual({ text: 'a word', isError: false });
});

test('a program that sends more bytes than the limit is ended, and the error gives that reason', async () => {
  let reported: string | null = null;
  const server = await connect(program(flood), (output) => {
    reported = output;
  });
  await expect(server.call('bytes', {}, never)).rejects.toMatchObject({
    code: 'tool_failed',
    message: expect.stringMatching(tooMuch),
  });
  await expect.poll(() => reported).toMatch(tooMuch);
});

test('the complete list of a remote server with a hundred tools of dozens of fields each is read', async () => {
  expect((await connect(await remoteServer(100, 60))).tools).toHaveLength(100);
});
