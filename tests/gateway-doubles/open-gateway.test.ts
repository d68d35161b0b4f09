import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { account } from '#shared/wire/account.ts';
import { requestList } from '#shared/wire/request-record.ts';
import { Secret } from '../../gateway/access/auth/secret.ts';
import { openGateway } from '../../gateway/open-gateway.ts';
import { openDatabase } from '../../gateway/storage/open-database.ts';
import { errorCode, openTestGateway } from './open-test-gateway.ts';

const credential = { apiKey: new Secret('sk-upstream'), baseUrl: 'https://upstream.invalid/v1' };

describe('an open gateway', () => {
  test('asks a provider with a free call whether a key works', async () => {
    const asked: string[] = [];
    const upstream =
      (status: number): typeof fetch =>
      async (input, init) => {
        asked.push(`${init?.method ?? 'GET'} ${input}`);
        return Response.json(status === 200 ? { object: 'list', data: [] } : { error: { message: 'no' } }, { status });
      };
    const good = await openTestGateway({ fetch: upstream(200) });
    await good.gateway.checkProvider('openai', credential);
    expect(asked).toEqual(['GET https://upstream.invalid/v1/models']);
    const bad = await openTestGateway({ fetch: upstream(401) });
    await expect(bad.gateway.checkProvider('openai', credential)).rejects.toMatchObject({
      code: 'upstream_auth_failed',
    });
    await expect(bad.gateway.checkProvider('nobody', credential)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('keeps keys, ledger and its secret in the file over a restart', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'portico-gateway-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const database = join(directory, 'ledger.db');
    const first = await openTestGateway({ database });
    expect((await first.post('/chat', { prompt: 'hi', model: 'sandbox/echo' })).status).toBe(200);
    const before = account.parse(await (await first.call('/account')).json());
    await first.gateway.close();
    const again = await openTestGateway({ database });
    const after = account.parse(await (await again.call('/account', { key: first.key })).json());
    expect(after.balance).toEqual(before.balance);
  });

  test('lets a suspended account verify its key and do nothing else', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'portico-gateway-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const database = join(directory, 'ledger.db');
    const { call, post } = await openTestGateway({ database });
    const { db } = await openDatabase(database);
    await db.updateTable('accounts').set({ status: 'suspended' }).execute();
    await db.destroy();
    for (const path of ['/account', '/v1/models', '/v1/usage']) {
      const response = await call(path);
      expect([response.status, await errorCode(response)]).toEqual([403, 'account_suspended']);
    }
    expect(await errorCode(await post('/chat', { prompt: 'hi' }))).toBe('account_suspended');
    const verified = await call('/v1/auth/verify', { method: 'POST' });
    expect(await verified.json()).toMatchObject({ valid: true, account: { status: 'suspended' } });
  });

  test('ends running requests when it closes, also in the ledger', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'portico-gateway-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const database = join(directory, 'ledger.db');
    const first = await openTestGateway({ database, sandboxPace: 1 });
    const running = first.post('/chat', { prompt: 'hi', model: 'sandbox/slow', stream: true });
    await expect
      .poll(async () => account.parse(await (await first.call('/account')).json()).balance?.held)
      .not.toBe('0');
    await first.gateway.close();
    await running;
    const again = await openTestGateway({ database });
    const restored = account.parse(await (await again.call('/account', { key: first.key })).json());
    expect(restored.balance?.held).toBe('0');
    const { data } = requestList.parse(await (await again.call('/v1/requests', { key: first.key })).json());
    expect(data).toHaveLength(1);
    expect(data[0]?.status).not.toBe('running');
  });

  test('owns its file while it is open, and releases it when opening fails', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'portico-gateway-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const database = join(directory, 'ledger.db');
    await expect(openGateway({ database, env: { PORTICO_KEY_PEPPER: 'short' } })).rejects.toThrow('PORTICO_KEY_PEPPER');
    const first = await openGateway({ database });
    await expect(openGateway({ database })).rejects.toMatchObject({
      code: 'database_in_use',
      message: expect.stringContaining(`(process ${process.pid})`),
    });
    expect((await first.fetch(new Request('http://127.0.0.1/readyz'))).status).toBe(200);
    await first.close();
    await (await openGateway({ database })).close();
  });

  test('reports what is wrong with the database', async () => {
    await expect(openGateway({ database: '/nowhere/at/all/ledger.db' })).rejects.toThrow(
      /The database file "\/nowhere\/at\/all\/ledger.db" could not be opened/,
    );
  });

  test('has no simulated models without a sandbox', async () => {
    const { call } = await openTestGateway({ sandbox: false });
    const text = await (await call('/v1/models')).text();
    expect(text).not.toContain('"simulated":true');
  });
});
