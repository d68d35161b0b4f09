import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { account } from '#shared/wire/account.ts';
import {
  accountWithKey,
  beforehand,
  chat,
  command,
  read,
  run,
  serve,
  workplace,
} from '../../tests/gateway-doubles/cli-process.ts';
import { onPostgres } from '../../tests/gateway-doubles/test-database.ts';
import { openDatabase } from '../storage/open-database.ts';

/** Makes all intervals 30 times shorter: what happens every quarter of a minute happens twice a second. */
const impatient = beforehand(`const { setInterval: real } = globalThis;
  globalThis.setInterval = (run, ms, ...more) => real(run, ms / 30, ...more);`);

describe('the command line', { timeout: 180_000 }, () => {
  test('the command line creates an account, credits and a key that a gateway then serves, and a revoked key is refused', async () => {
    const { database } = await workplace();
    const { last: id } = await run(['account', 'create', '--name', 'Team', '--db', database]);
    expect(id).toMatch(/^acct_/);
    await run(['credit', 'grant', id, '5', '--db', database]);
    const { last: key } = await run(['key', 'create', id, '--scope', 'chat,models,account', '--db', database]);
    const { url, lines, log } = await serve(database);
    const answer = await chat(url, key, { prompt: 'hi', provider: 'sandbox' });
    expect(answer.status).toBe(200);
    const book = account.parse(await read(url, '/account', key));
    expect(book.plan.id).toBe('pro');
    const listed = JSON.parse((await run(['key', 'list', id, '--db', database, '--json'])).stdout);
    expect(await run(['key', 'revoke', listed[0].id, '--db', database])).toMatchObject({ code: 0, last: listed[0].id });
    await expect.poll(() => read(url, '/account', key)).toMatchObject({ error: { code: 'invalid_api_key' } });
    expect(lines).toHaveLength(1);
    for (const line of log().trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('event');
    expect(log()).not.toContain(key);
  });

  test('the command line defines a plan, changes one field, assigns it to an account, and keeps it while an account has it', async () => {
    const { database } = await workplace();
    const { id } = await accountWithKey(database);
    const onDatabase = (...args: string[]) => command([...args, '--db', database]);
    const made = await onDatabase(
      'plan',
      'set',
      'team',
      '--features',
      'chat',
      '--models',
      'openai/*',
      '--monthly-spend',
      '50',
    );
    expect(made).toMatchObject({ code: 0, last: 'team' });
    await onDatabase('plan', 'set', 'team', '--requests-per-day', '7');
    expect((await onDatabase('account', 'plan', id, 'team')).last).toBe(id);
    const listed = JSON.parse((await onDatabase('plan', 'list', '--json')).stdout);
    expect(listed.at(-1)).toMatchObject({
      id: 'team',
      features: ['chat'],
      models: ['openai/*'],
      monthlySpend: '50',
      requestsPerDay: 7,
    });
    expect(await onDatabase('plan', 'remove', 'team')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('1 accounts'),
    });
    expect(await onDatabase('plan', 'set', 'team', '--requests-per-day', 'many')).toMatchObject({ code: 1 });
  });

  test('the command line adds a server with two keys that a serving gateway adopts, tests it and removes it', async () => {
    const { database } = await workplace();
    const { key } = await accountWithKey(database);
    const sentKeys: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      sentKeys.push(request.headers.authorization);
      const works = request.headers.authorization === 'Bearer key-that-works';
      response.writeHead(works ? 200 : 401, { 'content-type': 'application/json' });
      response.end(works ? '{"data": [{"id": "small"}]}' : '{"error": {"message": "no"}}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const env = { KEY_A: 'key-that-is-refused', KEY_B: 'key-that-works' };
    const onDatabase = (...args: string[]) => command([...args, '--db', database], env);
    const keys = 'first=env:KEY_A,second=env:KEY_B';
    const typed = await onDatabase('providers', 'add', 'near', '--url', url, '--keys', 'first=sk-typed-canary');
    expect(typed).toMatchObject({ code: 1, stderr: expect.stringContaining('say where it is, as env:VARIABLE') });
    expect(typed.stderr).not.toContain('canary');
    const served = await serve(database, [], { ...impatient, ...env });
    expect(await onDatabase('providers', 'add', 'near', '--url', url, '--keys', keys)).toMatchObject({
      code: 0,
      last: 'near',
    });
    const listed = async () =>
      ((await read(served.url, '/v1/models', key)) as { data: { id: string }[] }).data.map(({ id }) => id);
    await expect.poll(listed, { timeout: 20_000 }).toContain('near/small');
    const tested = await onDatabase('providers', 'test', 'near');
    expect(tested).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^first\t….{4}\tnear refused .*\nsecond\t….{2}\tworks\n$/),
    });
    expect(tested.stdout + tested.stderr + served.log()).not.toContain('key-that');
    const byVariable = { VLLM_BASE_URL: url, VLLM_API_KEY: 'key-that-works' };
    expect(await command(['providers', 'test', 'vllm', '--db', database], byVariable)).toMatchObject({ code: 0 });
    expect(await onDatabase('providers', 'test', 'groq')).toMatchObject({ code: 1, stdout: '' });
    expect((await onDatabase('providers', 'remove', 'near')).code).toBe(0);
    await expect.poll(listed, { timeout: 20_000 }).not.toContain('near/small');
  });

  test('the command line grants once per id and lists accounts with their balance', async () => {
    const { database } = await workplace();
    const { id } = await accountWithKey(database);
    const grant = ['credit', 'grant', id, '1.5', '--id', 'may', '--db', database];
    const first = await command(grant);
    expect(first.last).toMatch(/^txn_/);
    expect((await command(grant)).last).toBe(first.last);
    const listed = await command(['account', 'list', '--db', database, '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id, plan: 'pro', balance_usd: '6.5', held_usd: '0' }]);
  });

  test.skipIf(onPostgres())(
    'a name sends no control sequence to the terminal, forges no line and reverses none',
    async () => {
      const { database } = await workplace();
      const name = 'Ada\u001b]0;owned\u0007\u009b2J\r\nacct_forged\u202e\u2066';
      const shown = 'Ada\\u001b]0;owned\\u0007\\u009b2J\\u000d\\u000aacct_forged\\u202e\\u2066';
      const made = await command(['account', 'create', '--name', name, '--db', database]);
      expect(made.stdout).toBe(`Account "${shown}" on the plan "pro":\n${made.last}\n`);
      expect((await command(['account', 'list', '--db', database])).stdout).toBe(
        `${made.last}\tpro\tactive\t$0\t${shown}\n`,
      );
      const listed = await command(['account', 'list', '--db', database, '--json']);
      expect(JSON.parse(listed.stdout)).toMatchObject([{ name }]);
      expect(listed.stdout).toMatch(/^[^\p{Cc}\u2028\u202e\u2066]+\n$/u);
      const wrong = await command(['account', 'create', '--name', 'x', '--plan', name, '--db', database]);
      expect(wrong.stderr).toContain(']0;owned');
      expect(wrong.stderr).not.toMatch(/[^\P{Cc}\n]|[\u202e\u2066]/u);
    },
  );

  test.skipIf(onPostgres())('an impossible command is answered with one sentence and exit code 1', async () => {
    const { database, directory } = await workplace();
    await accountWithKey(database);
    const config = join(directory, 'config.json');
    writeFileSync(config, '{"providers": {"openai": {"apiKey": ""}}}');
    const failures = [
      { args: ['account', 'list', '--db', join(directory, 'missing.db')], expectedText: 'There is no database' },
      {
        args: ['prices', 'set', 'openai/o3', '--input', '1.1234567', '--output', '2', '--db', database],
        expectedText: '--input must be USD',
      },
      {
        args: ['prices', 'unset', 'openai/o3', '--from', 'soon', '--db', database],
        expectedText: '"soon" is not a date, such as 2027-01-31',
      },
      { args: ['prices', 'refresh', '--db', database], expectedText: 'Say where newer prices are: --url' },
      {
        args: ['key', 'create', 'acct_x', '--expires', 'soon', '--db', database],
        expectedText: '"soon" is not a date, such as 2027-01-31',
      },
      {
        args: ['key', 'create', 'acct_x', '--scope', 'all', '--db', database],
        expectedText: 'There is no scope "all"',
      },
      { args: ['providers', 'test', 'groq', '--db', database], expectedText: 'has no key and no address here' },
      { args: ['credit', 'grant', 'acct_x', '5', '--db', database], expectedText: 'There is no account "acct_x"' },
      { args: ['credit', 'grant', 'acct_x', '5e3', '--db', database], expectedText: '"5e3" is not an amount' },
      {
        args: ['user', 'create', 'acct_x', '--name', 'A', '--db', database],
        expectedText: 'There is no account "acct_x"',
      },
      { args: ['token', 'issue', '--sub', 'usr_x', '--db', database], expectedText: 'There is no user "usr_x"' },
      {
        args: ['token', 'issue', '--sub', 'usr_x', '--ttl', '15', '--db', database],
        expectedText: '"15" is not a duration',
      },
      {
        args: ['token', 'issue', '--sub', 'usr_x', '--ttl', '25h', '--db', database],
        expectedText: 'at most 24 hours',
      },
      {
        args: ['token', 'issue', '--sub', 'usr_x', '--scope', 'all', '--db', database],
        expectedText: 'There is no scope',
      },
      { args: ['token', 'revoke', 'key_1', '--db', database], expectedText: 'is not the id of a token' },
      {
        args: ['account', 'create', '--name', 'A', '--plan', 'gold', '--db', database],
        expectedText: 'There is no plan "gold"',
      },
      {
        args: ['serve', '--db', database, '--config', config],
        expectedText: 'providers.openai.apiKey: must not be empty',
      },
      {
        args: ['serve', '--db', 'postgres://127.0.0.1:1/x'],
        env: { PORTICO_KEY_PEPPER: '' },
        expectedText: 'Set PORTICO_KEY_PEPPER',
      },
    ];
    const ends = await Promise.all(failures.map(({ args, env }) => command(args, env)));
    for (const [index, { args, expectedText }] of failures.entries()) {
      const { code, stderr = '' } = ends[index] ?? {};
      expect({ code, lines: stderr.trimEnd().split('\n').length }, args.join(' ')).toEqual({ code: 1, lines: 1 });
      expect(stderr).toContain(expectedText);
    }
  });

  test('a key gets its scopes, limit and last day, and a suspended account is refused until it is resumed', async () => {
    const { database } = await workplace();
    const { id } = await accountWithKey(database);
    const made = ['--scope', 'chat,account', '--limit', '0.5', '--expires', '2099-01-31', '--db', database];
    const { last: key } = await command(['key', 'create', id, ...made]);
    await command(['key', 'create', id, '--db', database]);
    const [, limited, plain] = JSON.parse((await command(['key', 'list', id, '--json', '--db', database])).stdout);
    expect(plain).toMatchObject({ scopes: ['chat', 'models'], spend_limit_usd: null, mintedBy: null });
    expect(limited).toMatchObject({
      scopes: ['chat', 'account'],
      spend_limit_usd: '0.5',
      expiresAt: Date.UTC(2099, 1, 1),
    });
    const bad = [
      ['--scope', 'all'],
      ['--limit', '-1'],
      ['--expires', '2020-01-01'],
      ['--expires', 'soon'],
    ];
    const ends = await Promise.all(bad.map((words) => command(['key', 'create', id, ...words, '--db', database])));
    expect(ends.map(({ code }) => code)).toEqual([1, 1, 1, 1]);
    const { url } = await serve(database);
    expect((await chat(url, key, { prompt: 'hi', provider: 'sandbox' })).status).toBe(200);
    expect((await command(['account', 'suspend', id, '--db', database])).last).toBe(id);
    const status = async () => (await chat(url, key, { prompt: 'hi', provider: 'sandbox' })).status;
    await expect.poll(status).toBe(403);
    await command(['account', 'resume', id, '--db', database]);
    await expect.poll(status).toBe(200);
  });

  test('the command line issues tokens for users that a serving gateway accepts until they are revoked', async () => {
    const { database } = await workplace();
    const { id } = await accountWithKey(database);
    const db = ['--db', database];
    const { last: user } = await command(['user', 'create', id, '--name', 'Ada', ...db]);
    expect(user).toMatch(/^usr_/);
    const issued = await command([
      'token',
      'issue',
      '--sub',
      user,
      '--scope',
      'models, account',
      '--ttl',
      '90s',
      '--json',
      ...db,
    ]);
    const { token, id: jti } = JSON.parse(issued.stdout);
    const { url, log } = await serve(database);
    expect(account.parse(await read(url, '/account', token)).credential).toMatchObject({
      type: 'jwt',
      label: 'Ada',
      scopes: ['models', 'account'],
    });
    expect(await (await fetch(`${url}/.well-known/jwks.json`)).json()).toMatchObject({ keys: [{}, {}] });
    const rotated = JSON.parse((await command(['token', 'rotate', '--json', ...db])).stdout);
    expect(rotated.map((key: { state: string }) => key.state).toSorted()).toEqual(['scheduled', 'signing', 'standby']);
    expect(await command(['token', 'revoke', jti, ...db])).toMatchObject({ code: 0, last: jti });
    const refused = () => read(url, '/account', token);
    await expect.poll(refused).toMatchObject({ error: { code: 'invalid_token' } });
    expect(log()).not.toContain(token);
    const { last: plain } = await command(['token', 'issue', '--sub', user, ...db]);
    expect(JSON.parse(Buffer.from(plain.split('.')[1] ?? '', 'base64url').toString()).scope).toEqual([
      'chat',
      'models',
    ]);
    expect((await command(['user', 'list', id, ...db])).stdout).toBe(`${user}\tactive\tAda\n`);
  });

  test('the command line checks the ledger, and fails when it is off by a nano-dollar', async () => {
    const { database } = await workplace();
    await accountWithKey(database);
    const verify = ['ledger', 'verify', '--db', database];
    expect(await command(verify)).toMatchObject({ code: 0, last: 'The books are exact.' });
    const gatewayDb = await openDatabase(database);
    await sql`UPDATE accounts SET balance = balance - 1`.execute(gatewayDb.db);
    await gatewayDb.db.destroy();
    const { code, stdout } = await command(verify);
    expect(code).toBe(1);
    expect(stdout).toContain('WRONG  balance = sum of the entries');
    expect(stdout).toContain('expected $5, found $4.999999999');
    const json = await command([...verify, '--json']);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      sums: { balance_usd: '4.999999999', granted_usd: '5' },
    });
  });

  test('the command line sets a price that a running gateway adopts, shows its history and returns it to the book', async () => {
    const { database } = await workplace();
    const { key } = await accountWithKey(database);
    const { url } = await serve(database, [], impatient);
    const model = 'openai/gpt-5.4-mini';
    const prices = (...words: string[]) => command(['prices', ...words, '--db', database]);
    const set = await prices('set', model, '--input', '1', '--output', '2.5', '--cache-read', '0.1');
    expect(set).toMatchObject({ code: 0, last: model });
    await expect
      .poll(() => read(url, `/v1/models/${model}`, key), { interval: 200 })
      .toMatchObject({ pricing: { prompt: '0.000001', source: 'override' } });
    const [listed, history] = await Promise.all([
      prices('list', '--provider', 'openai'),
      prices('history', model, '--json'),
    ]);
    expect(listed.stdout).toContain(`${model}\t1\t2.5\t`);
    const rows = JSON.parse(history.stdout);
    expect(rows.at(-1)).toMatchObject({ source: 'override', price: { input: '1', cache_read: '0.1' } });
    expect(rows[0].source).toMatch(/genai-prices/);
    const planned = await prices('set', model, '--input', '3', '--output', '9', '--from', '2099-01-01');
    expect(planned.last).toBe(model);
    const kept = await prices('set', model, '--input', '2', '--output', '4');
    expect(kept.stdout).toContain('From 2099-01-01 it costs 3 / 9 as planned');
    const dated = (await prices('history', model)).stdout.trim().split('\n').slice(-3);
    expect(dated).toEqual([
      expect.stringContaining('override, superseded'),
      expect.stringMatching(/\t2\t4\t.*\toverride$/),
      expect.stringMatching(/^2099-01-01\t3\t9\t/),
    ]);
    const unset = await prices('unset', model);
    expect(unset.code).toBe(0);
    expect(unset.stdout).not.toContain('as planned');
    expect((await prices('list', '--provider', 'openai')).stdout).not.toContain('override');
  });

  test('a server fetches newer prices at its start when an address is configured, and adopts them once', async () => {
    const { database } = await workplace();
    const { models } = JSON.parse(readFileSync(new URL('../models/prices/data/prices.json', import.meta.url), 'utf8'));
    const newer = models.map((model: { id: string; rows: { from: null }[] }) =>
      model.id === 'openai/o3' ? { ...model, rows: [{ ...model.rows[0], from: null, input: '1.75' }] } : model,
    );
    const today = new Date().toISOString().slice(0, 10);
    const book = createServer((_request, response) =>
      response.end(JSON.stringify({ as_of: today, source: 'prices.example', models: newer })),
    );
    await new Promise<void>((resolve) => book.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void book.close());
    const PORTICO_PRICES_URL = `http://127.0.0.1:${(book.address() as AddressInfo).port}/`;
    const served = await serve(database, [], { PORTICO_PRICES_URL });
    await expect
      .poll(served.log, { timeout: 60_000 })
      .toContain('"event":"prices_refreshed","source":"prices.example"');
    const refreshed = await command(['prices', 'refresh', '--db', database, '--json'], { PORTICO_PRICES_URL });
    expect(JSON.parse(refreshed.stdout)).toMatchObject({ source: 'prices.example', added: [], ignored: [] });
    expect((await command(['prices', 'list', '--db', database])).stdout).toContain('openai/o3\t1.75\t');
  });
});
