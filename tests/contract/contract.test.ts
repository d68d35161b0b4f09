import { MessageChannel } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serveChannels } from '#core/rpc/serve.ts';
import { portChannel } from '../../electron/hosts/electron/port-channel.ts';
import { eventually } from '../support/eventually.ts';
import { servedDouble } from './served.ts';
import { asMainPort, type Client, type Connected, transports } from './transports.ts';

describe.each(Object.entries(transports))('over a %s', (_, connect) => {
  let served: ReturnType<typeof servedDouble>;
  let connected: Connected;
  beforeEach(async () => {
    served = servedDouble();
    connected = await connect(served);
  });
  afterEach(() => connected.close());
  const watch = (conversationId: string, signal?: AbortSignal) =>
    connected.client.chat.watch({ conversationId }, signal ? { signal } : {});

  test('a call is answered', async () => {
    expect(await connected.client.settings.update({ theme: 'dark' })).toMatchObject({ theme: 'dark', model: 'router' });
  });

  test('what the contract does not allow is refused before the handler sees it', async () => {
    const bad = { theme: 'pink' } as never;
    await expect(connected.client.settings.update(bad)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('theme: '),
      data: { details: { param: 'theme' } },
    });
  });

  test('a method that is not in the contract is not there', async () => {
    const client = connected.client as unknown as { app: { quit(): Promise<void> } };
    await expect(client.app.quit()).rejects.toMatchObject({ status: 404 });
  });

  test('an error of ours arrives whole', async () => {
    await expect(connected.client.chat.stop({ answerId: 'a' })).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      message: 'Wait a moment.',
      status: 429,
      data: { retryAfterMs: 1500, details: { scope: 'key' } },
    });
  });

  test('a failure inside loses its message on the way and is logged', async () => {
    const error = await connected.client.settings.get().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'internal_error' });
    expect(JSON.stringify([error, String(error)])).not.toMatch(/ENOENT|somebody|key\.txt/);
    expect(served.log).toMatchObject([{ event: 'call_failed', method: 'settings.get', error: 'Error' }]);
    expect(JSON.stringify(served.log)).not.toContain('somebody');
  });

  test('a stream that fails inside gives what it had, then the masked error', async () => {
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const event of await watch('breaks')) seen.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'internal_error' });
    expect(seen).toHaveLength(1);
    expect(served.log).toMatchObject([{ method: 'chat.watch' }]);
  });

  test('a thousand items arrive in order, none twice', async () => {
    const offsets: number[] = [];
    for await (const event of await watch('thousand')) if (event.type === 'text-delta') offsets.push(event.offset);
    expect(offsets).toEqual(Array.from({ length: 1000 }, (_item, index) => index));
  });

  test('aborting the signal ends the handler', async () => {
    const abort = new AbortController();
    const stream = await watch('slow', abort.signal);
    await stream.next();
    abort.abort();
    await expect(stream.next()).rejects.toThrow();
    await eventually(() => expect(served.ended).toEqual(['slow']));
  });

  test('leaving the loop ends the handler', async () => {
    for await (const _event of await watch('slow')) break;
    await eventually(() => expect(served.ended).toEqual(['slow']));
  });

  test('losing the window ends the handler', async () => {
    const stream = await watch('slow');
    await stream.next();
    const next = stream.next().catch(() => {});
    connected.lose();
    await eventually(() => expect(served.ended).toEqual(['slow']));
    await next;
  });
});

test('a window that does not read makes its streams wait', async () => {
  const served = servedDouble();
  const { port1, port2 } = new MessageChannel();
  serveChannels(served)(portChannel(asMainPort(port1)));
  const client: Client = createORPCClient(new RPCLink({ port: port2 as unknown as globalThis.MessagePort }));
  port2.start();
  const stream = await client.chat.watch({ conversationId: 'endless' });
  await eventually(() => expect(served.produced()).toBeGreaterThan(200));
  for (let tick = 0; tick < 100; tick += 1) await new Promise(setImmediate);
  expect(served.produced()).toBeLessThanOrEqual(256);
  port2.close();
  await eventually(() => expect(served.ended).toEqual(['endless']));
  await stream.return?.().catch(() => {});
});
