import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { requestList } from '#shared/wire/request-record.ts';
import { getEvents } from '../../../tests/gateway-doubles/events-of.ts';
import {
  errorCode,
  openTestGateway,
  type TestGatewayOptions,
} from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../../tests/gateway-doubles/recorded-streams.ts';
import { postgresPrograms, startPostgres } from '../../../tests/gateway-doubles/start-postgres.ts';
import { onPostgres, sharedDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import {
  errorReply,
  hangingReply,
  openUpstream,
  type Reply,
  streamReply,
} from '../../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../../access/auth/secret.ts';
import { canonicalJson } from '../../api/chat/read-chat-request.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { createTransact } from '../../storage/transact.ts';
import { createKeptAnswers } from './kept-answers.ts';
import { createSealing } from './sealing.ts';

const hour = 60 * 60_000;
const completeReply: Reply = (call, response) => streamReply(recordedStreams.openai.join(''))(call, response);

async function open(options: TestGatewayOptions & { reply?: Reply } = {}) {
  const { reply = completeReply, ...rest } = options;
  const upstream = await openUpstream(reply);
  onTestFinished(() => upstream.close());
  const providers = { openai: { apiKey: new Secret('platform-key'), baseUrl: `${upstream.origin}/v1` } };
  const opened = await openTestGateway({ plan: 'enterprise', providers, ...rest });
  const ask = (key: string, body: object = {}, init: RequestInit = {}, path = '/chat') =>
    opened.post(
      path,
      { model: 'openai/gpt-5.4-mini', prompt: 'hello', ...body },
      { ...init, headers: { 'idempotency-key': key, ...(init.headers as Record<string, string>) } },
    );
  const charged = async () =>
    requestList.parse(await (await opened.call('/v1/requests?limit=100')).json()).data.map(({ status }) => status);
  return { ...opened, upstream, ask, charged };
}

describe('§3.4 Idempotency-Key', () => {
  test('a repeated request gets the stored body, marked as replayed, and is asked and charged once', async () => {
    const { ask, upstream, charged } = await open();
    const first = await ask('k1');
    const again = await ask('k1');
    expect(first.headers.has('idempotent-replayed')).toBe(false);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('x-portico-model')).toBe(first.headers.get('x-portico-model'));
    expect(await again.text()).toBe(await first.text());
    expect(upstream.calls).toHaveLength(1);
    expect(await charged()).toEqual(['succeeded']);
  });

  test.each([
    ['/chat', { prompt: 'hello' }],
    ['/v1/chat/completions', { prompt: undefined, messages: [{ role: 'user', content: 'hello' }] }],
  ])('a finished stream of %s is replayed as one content chunk, the finish and [DONE]', async (path, body) => {
    const { ask, upstream } = await open();
    const first = await getEvents(await ask('k1', { ...body, stream: true }, {}, path));
    const again = await ask('k1', { ...body, stream: true }, {}, path);
    expect(again.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const events = await getEvents(again);
    expect(events.slice(-2)).toEqual(first.slice(-2));
    const texts = events.slice(0, -1).map((event) => {
      const parsed = JSON.parse(event);
      return parsed.text ?? parsed.choices?.[0]?.delta.content ?? '';
    });
    expect(texts.filter((text) => text !== '')).toEqual([recordedStreams.text]);
    expect(upstream.calls).toHaveLength(1);
  });

  test('a request whose key is in use is 409 with Retry-After: 1', async () => {
    const abort = new AbortController();
    const { ask, upstream } = await open({ reply: hangingReply('') });
    const first = ask('k1', {}, { signal: abort.signal });
    await expect.poll(() => upstream.calls.length).toBe(1);
    const second = await ask('k1');
    expect([second.status, second.headers.get('retry-after')]).toEqual([409, '1']);
    expect(await errorCode(second)).toBe('idempotency_in_progress');
    abort.abort();
    expect((await first).status).toBe(499);
  });

  test('200 simultaneous requests with one key make one upstream call and one charge, and all get its answer when repeated', async () => {
    const { ask, upstream, charged } = await open();
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask('k1')));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect(new Set(statuses)).toEqual(new Set([200, 409]));
    expect(upstream.calls).toHaveLength(1);
    const texts = await Promise.all(Array.from({ length: 20 }, async () => (await ask('k1')).text()));
    expect(new Set(texts).size).toBe(1);
    expect(upstream.calls).toHaveLength(1);
    expect(await charged()).toEqual(['succeeded']);
  });

  test('another body with the same key is 422, and the order of members does not matter', async () => {
    const { ask, upstream } = await open();
    await ask('k1', { metadata: { a: '1', b: '2' } });
    expect((await ask('k1', { metadata: { b: '2', a: '1' } })).status).toBe(200);
    const other = await ask('k1', { metadata: { a: '1', b: '3' } });
    expect([other.status, await errorCode(other)]).toEqual([422, 'idempotency_key_reused']);
    expect(upstream.calls).toHaveLength(1);
  });

  test('a key is free again after any failure', async () => {
    const { ask, upstream } = await open({ reply: errorReply(400, { error: { message: 'no' } }) });
    expect((await ask('k1')).status).toBe(400);
    expect((await ask('k1', { model: 'nothing' })).status).toBe(404);
    upstream.replyWith(errorReply(500, {}));
    expect((await ask('k1')).status).toBe(502);
    upstream.replyWith(completeReply);
    expect((await ask('k1')).status).toBe(200);
    expect(upstream.calls).toHaveLength(3);
  });

  test('a key is free again after its client disconnected in the middle', async () => {
    const reply = hangingReply(recordedStreams.openai.slice(0, 3).join(''));
    const { ask, upstream, charged } = await open({ reply, timeouts: { readOnMs: 400 } });
    const stream = await ask('k1', { stream: true });
    await stream.body?.cancel();
    upstream.replyWith(completeReply);
    // Meanwhile the rest of the first answer is still read for its usage.
    await expect.poll(async () => (await ask('k1', { stream: true })).status).toBe(200);
    await expect.poll(charged).toContain('cancelled');
  });

  test('a key is free again after a refusal for too many tokens', async () => {
    const { ask, pass } = await open({ plan: 'free' });
    const long = 'word '.repeat(20_000);
    await ask('k1', { model: 'sandbox/echo', prompt: long });
    expect((await ask('k2', { model: 'sandbox/echo', prompt: long })).status).toBe(429);
    pass(60_000);
    expect((await ask('k2', { model: 'sandbox/echo', prompt: long })).status).toBe(200);
  });

  test('an answer is stored for 60 minutes and then deleted', async () => {
    const { ask, upstream, pass } = await open();
    await ask('k1');
    pass(hour - 1);
    expect((await ask('k1')).headers.get('idempotent-replayed')).toBe('true');
    pass(1);
    expect((await ask('k1')).headers.has('idempotent-replayed')).toBe(false);
    expect(upstream.calls).toHaveLength(2);
  });

  test('a key belongs to one credential and one path', async () => {
    const { ask, upstream, gateway, account } = await open();
    const other = await gateway.operator.createKey({ accountId: account.id });
    await ask('k1');
    await ask('k1', {}, { headers: { authorization: `Bearer ${other.key}` } });
    await ask('k1', {}, {}, '/api/chat');
    expect(upstream.calls).toHaveLength(3);
    await ask('k1', {}, {}, '/chat/');
    expect(upstream.calls).toHaveLength(3);
  });

  test('a key belongs to one user of an account, whichever token the user has', async () => {
    const { ask, upstream, gateway, account } = await open();
    const getToken = async (userId: string) =>
      (await gateway.operator.issueToken({ userId, scopes: ['chat'], lifetimeS: 60 })).token;
    const [ada, bob] = await Promise.all(
      ['Ada', 'Bob'].map((name) => gateway.operator.createUser({ accountId: account.id, name })),
    );
    for (const user of [ada, bob, ada]) {
      await ask('k1', {}, { headers: { authorization: `Bearer ${await getToken(user?.id ?? '')}` } });
    }
    expect(upstream.calls).toHaveLength(2);
  });

  test('with the caller’s own provider key a simultaneous duplicate is refused, and nothing is stored', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'portico-kept-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const { ask, upstream } = await open({ database: join(directory, 'ledger.db') });
    const own = { byoapi_key: 'canary-own-key-1' };
    const both = await Promise.all([ask('k1', own), ask('k1', own)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const again = await ask('k1', { byoapi_key: 'canary-own-key-2' });
    expect([again.status, again.headers.has('idempotent-replayed')]).toEqual([200, false]);
    expect(upstream.calls).toHaveLength(2);
    const { db } = await openDatabase(join(directory, 'ledger.db'));
    expect(await db.selectFrom('kept_answers').selectAll().execute()).toEqual([]);
    await db.destroy();
    const bytes = readdirSync(directory)
      .map((name) => readFileSync(join(directory, name), 'latin1'))
      .join('');
    expect(bytes).not.toContain('canary-own-key');
  });

  test.each(['', 'x'.repeat(256), 'with space', 'ü'])('the key "%s" is refused', async (key) => {
    const { ask, upstream } = await open();
    const response = await ask(key);
    expect([response.status, await errorCode(response)]).toEqual([400, 'invalid_value']);
    expect((await ask('x'.repeat(255))).status).toBe(200);
    expect(upstream.calls).toHaveLength(1);
  });

  test('a stored answer survives a restart, and is encrypted', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'portico-kept-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const database = join(directory, 'ledger.db');
    const first = await open({ database });
    const text = await (await first.ask('secret-key-name')).text();
    await first.gateway.close();
    const bytes = readdirSync(directory)
      .map((name) => readFileSync(join(directory, name), 'latin1'))
      .join('');
    expect(recordedStreams.text.length).toBeGreaterThan(3);
    for (const hidden of [recordedStreams.text, 'secret-key-name', 'hello']) expect(bytes).not.toContain(hidden);
    const second = await open({ database });
    const again = await second.ask('secret-key-name', {}, { headers: { authorization: `Bearer ${first.key}` } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.text()).toBe(text);
    expect(second.upstream.calls).toHaveLength(0);
  });
});

test('keys of a killed process are free when the next process starts, unless other instances may be alive', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-kept-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const database = await sharedDatabase(directory);
  const gatewayDb = await openDatabase(database);
  const row = { id: 'k', fingerprint: Buffer.from('f'), request_id: 'req_1', answer: null };
  await gatewayDb.db
    .insertInto('kept_answers')
    .values({ ...row, lease_until: 9n ** 15n, expires: 9n ** 15n })
    .execute();
  await openTestGateway({ database });
  expect(await gatewayDb.db.selectFrom('kept_answers').select('id').execute()).toHaveLength(onPostgres() ? 1 : 0);
  await gatewayDb.db.destroy();
});

const postgres = postgresPrograms();
const engines = postgres === null ? ['SQLite'] : ['SQLite', 'PostgreSQL'];

describe.each(engines)('claims on %s', (engine) => {
  async function openKept(url: string, now: () => number) {
    const gatewayDb = await openDatabase(url);
    onTestFinished(() => gatewayDb.db.destroy());
    const sealing = createSealing([Buffer.alloc(32, 7)]);
    return { ...gatewayDb, kept: createKeptAnswers({ transact: createTransact(gatewayDb), sealing, now }) };
  }

  async function database(): Promise<string> {
    if (engine === 'SQLite' || postgres === null) return ':memory:';
    const server = await startPostgres(postgres);
    onTestFinished(() => server.stop());
    return server.createDatabase();
  }

  const getClaim = (requestId: string, body = '{}') => ({ parts: ['a', '/chat', 'k1'] as const, requestId, body });
  const getCode = (error: { code?: string }) => error.code ?? String(error);

  test('one of 200 simultaneous claims is granted, a dead holder keeps its key for a minute, and old claims are deleted', async () => {
    let time = 1_000_000;
    const url = await database();
    const one = await openKept(url, () => time);
    const two = engine === 'SQLite' ? one : await openKept(url, () => time);
    const claims = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        (index % 2 ? one : two).kept.claim(getClaim(`req_${index}`)).then(({ kind }) => kind, getCode),
      ),
    );
    expect(claims.filter((claim) => claim === 'claimed')).toHaveLength(1);
    expect(new Set(claims)).toEqual(new Set(['claimed', 'idempotency_in_progress']));
    time += 60_000;
    const next = await two.kept.claim(getClaim('req_next', '{"other":1}'));
    if (next.kind !== 'claimed') throw new Error('it was not claimed');
    time += 59_000;
    await next.renew();
    time += 59_000;
    expect(await one.kept.claim(getClaim('req_late', '{"other":1}')).catch(getCode)).toBe('idempotency_in_progress');
    await next.complete('the answer');
    await next.release();
    expect(await one.kept.claim(getClaim('req_late', '{"other":1}'))).toEqual({ kind: 'replay', answer: 'the answer' });
    time += hour;
    await one.kept.forgetOld();
    expect(await one.db.selectFrom('kept_answers').select('id').execute()).toEqual([]);
  });
});

test('an encrypted answer opens only unchanged, under its own name and with the same pepper', () => {
  const sealing = createSealing([Buffer.alloc(32, 1)]);
  const sealed = sealing.seal('text', 'name');
  expect(sealing.open(sealed, 'name')).toBe('text');
  expect(() => sealing.open(sealed, 'other')).toThrow();
  expect(() => createSealing([Buffer.alloc(32, 2)]).open(sealed, 'name')).toThrow();
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => sealing.open(changed, 'name')).toThrow();
  }
});

test('canonical JSON is JSON of the same value, and does not depend on the order of members', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain = JSON.parse(JSON.stringify(value));
      expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
    }),
  );
  expect(canonicalJson({ b: [1, { d: null, c: 'ü' }], a: 2 })).toBe(
    canonicalJson({ a: 2, b: [1, { c: 'ü', d: null }] }),
  );
});
