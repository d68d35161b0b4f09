import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type RequestRecord, requestList } from '#shared/wire/request-record.ts';
import { openTestGateway, type TestGatewayOptions } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { completionEvent, httpChunk, openRawUpstream, streamHead } from '../../tests/gateway-doubles/raw-upstream.ts';
import { Secret } from '../access/auth/secret.ts';
import { listen } from '../http/listen.ts';

/**
 * A client that does not read its answer pays for what was produced. When its slowness breaks the provider's connection, that
 * does not count as a failure of the provider. The sockets are real, and the test turns the clock of the waiting times.
 */

const minute = 60_000;
const piece = httpChunk(completionEvent({ content: 'x'.repeat(60_000) }));
const ending = `${httpChunk(completionEvent({}, { finish_reason: 'stop' }))}${httpChunk('data: [DONE]\n\n')}0\r\n\r\n`;
const question = {
  model: 'openai/gpt-4o-mini',
  stream: true,
  max_tokens: 16_000,
  messages: [{ role: 'user', content: 'hi' }],
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

async function openServed(options: TestGatewayOptions = {}) {
  const upstream = await openRawUpstream(streamHead);
  onTestFinished(upstream.close);
  const credential = { apiKey: new Secret('sk-upstream'), baseUrl: `${upstream.origin}/v1` };
  const opened = await openTestGateway({ balance: '1000', providers: { openai: credential }, ...options });
  const server = await listen(opened.gateway, { port: 0 });
  onTestFinished(server.close);
  return {
    ...opened,
    server,
    upstream,
    /** Waits until this many requests have ended, and returns them. The ledger must verify, and nothing may be held. */
    async ended(count: number): Promise<RequestRecord[]> {
      const over = () => opened.entries.filter(({ event, outcome }) => event === 'request' && outcome).length;
      await expect.poll(over).toBe(count);
      const { checks, sums } = await opened.gateway.operator.checkLedger();
      expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
      expect(sums).toMatchObject({ running: 0, held_usd: '0' });
      return requestList.parse(await (await opened.call('/v1/requests')).json()).data;
    },
  };
}

type Served = Awaited<ReturnType<typeof openServed>>;

const written = (key: string, body: object, path = '/v1/chat/completions') => {
  const text = JSON.stringify(body);
  return (
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  );
};

/** Opens a client that sends this text and reads nothing. */
async function mute({ server }: Served, text: string): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write(text);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Resolves when the provider can send nothing more, because every buffer between it and the client is full. */
async function blocked(taken: () => number): Promise<void> {
  let before = 0;
  let still = 0;
  const unchanged = () => {
    still = taken() === before && before > 0 ? still + 1 : 0;
    before = taken();
    return still;
  };
  await expect.poll(unchanged, { interval: 100 }).toBeGreaterThan(3);
}

/** Opens clients that read nothing until nothing flows any more. Their number would open a model's circuit if they counted as failures. */
async function stalled(served: Served, count = 5) {
  const clients: Socket[] = [];
  for (let made = 0; made < count; made += 1) clients.push(await mute(served, written(served.key, question)));
  await expect.poll(() => served.upstream.calls.length).toBe(count);
  const taken = served.upstream.flood(piece);
  const settled = () => blocked(taken);
  await settled();
  return { clients, settled };
}

/** Resolves when all upstream calls were aborted. */
const hungUp = ({ upstream }: Served) => Promise.all(upstream.calls.map(({ closed }) => closed));

/** Reads at least this many bytes: enough for the other side's socket to notice. */
async function takeSome(client: Socket, bytes = 8_000_000): Promise<void> {
  let taken = 0;
  client.resume();
  while (taken < bytes) taken += ((await once(client, 'data'))[0] as Buffer).length;
  client.pause();
}

const paidFor = { status: 'cancelled', error_code: 'client_closed_request' };

const circuit = ({ gateway }: Served) =>
  /portico_circuit_open\{[^}]*gpt-4o-mini[^}]*\} (\S+)/.exec((gateway as { metrics(): string }).metrics())?.[1] ?? '0';

describe('over sockets', () => {
  test('clients that take nothing for a minute count as disconnected: they pay, and the model’s health is unchanged', async () => {
    const served = await openServed();
    await stalled(served);
    await vi.advanceTimersByTimeAsync(minute);
    await hungUp(served);
    for (const record of await served.ended(5)) {
      expect(record).toMatchObject(paidFor);
      expect(record.completion_tokens).toBeGreaterThan(1_000);
      expect(Number(record.cost_usd)).toBeGreaterThan(0);
    }
    expect(circuit(served)).toBe('0');
  });

  test('a client that reads on within a minute loses nothing, even when the provider’s silence limit has passed', async () => {
    const served = await openServed();
    const { clients, settled } = await stalled(served, 1);
    const [client] = clients as [Socket];
    for (let round = 0; round < 2; round += 1) {
      await vi.advanceTimersByTimeAsync(minute - 1_000);
      await takeSome(client);
      await settled();
    }
    served.upstream.stop();
    served.upstream.say(ending);
    expect((await readUntil(client, '[DONE]')).includes('[DONE]')).toBe(true);
    expect(await served.ended(1)).toMatchObject([{ status: 'succeeded' }]);
  });

  test('a provider that breaks off because it had to wait is not at fault, and what came by then is charged', async () => {
    const served = await openServed();
    const { clients } = await stalled(served);
    await vi.advanceTimersByTimeAsync(minute / 2);
    served.upstream.breakOff();
    const rests = await Promise.all(clients.map((client) => readUntil(client, '"error"')));
    expect(rests.filter((rest) => rest.includes('upstream_truncated'))).toHaveLength(5);
    for (const record of await served.ended(5)) {
      expect(record).toMatchObject(paidFor);
      expect(Number(record.cost_usd)).toBeGreaterThan(0);
    }
    expect(circuit(served)).toBe('0');
  });

  test('a client that reads too slowly until the time limit counts as cancelled', async () => {
    const served = await openServed({ timeouts: { totalMs: 2 * minute } });
    const { clients, settled } = await stalled(served, 1);
    const [client] = clients as [Socket];
    for (let round = 0; round < 3; round += 1) {
      await vi.advanceTimersByTimeAsync(minute - 1_000);
      await takeSome(client);
      await settled();
    }
    await vi.advanceTimersByTimeAsync(5_000);
    await hungUp(served);
    const [record] = await served.ended(1);
    expect(record).toMatchObject(paidFor);
    expect(Number(record?.cost_usd)).toBeGreaterThan(0);
  });
});

describe('for any kind of answer', () => {
  test('a request that waits behind a stalled answer on its connection ends with it', async () => {
    const served = await openServed();
    await mute(served, written(served.key, question).repeat(2));
    await expect.poll(() => served.upstream.calls.length).toBe(2);
    await blocked(served.upstream.flood(piece));
    await vi.advanceTimersByTimeAsync(minute);
    await hungUp(served);
    for (const record of await served.ended(2)) expect(record).toMatchObject(paidFor);
  });

  test('a non-streaming answer that its client does not take is charged, and its connection is closed after a minute', async () => {
    const served = await openServed();
    await mute(served, written(served.key, { ...question, stream: false }));
    await served.upstream.call();
    served.upstream.say(piece.repeat(130) + ending);
    expect(await served.ended(1)).toMatchObject([{ status: 'succeeded' }]);
    await vi.advanceTimersByTimeAsync(minute);
    // `close` waits for every connection. The time after which it would cut them off does not pass in this test.
    await served.server.close();
  });

  test('a reader in this process that takes nothing for a minute counts as disconnected', async () => {
    const served = await openServed();
    const asked = served.post('/v1/chat/completions', question);
    await served.upstream.call();
    const taken = served.upstream.flood(piece);
    const response = await asked;
    await blocked(taken);
    await vi.advanceTimersByTimeAsync(minute);
    await hungUp(served);
    expect(await served.ended(1)).toMatchObject([paidFor]);
    expect((await response.text()).slice(-500)).toContain('client_closed_request');
  });

  test('a client that reads nothing does not keep the gateway from shutting down', async () => {
    const served = await openServed();
    await stalled(served, 1);
    const drained = served.gateway.drain(0);
    await vi.advanceTimersByTimeAsync(1);
    await drained;
    const { sums } = await served.gateway.operator.checkLedger();
    expect(sums).toMatchObject({ running: 0, held_usd: '0' });
  });
});

async function readUntil(socket: Socket, wanted: string): Promise<string> {
  let seen = '';
  for await (const part of socket) {
    seen = seen.slice(-10_000) + String(part);
    if (seen.includes(wanted)) break;
  }
  return seen;
}
