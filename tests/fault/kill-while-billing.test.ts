import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { completionEvent } from '../gateway-doubles/raw-upstream.ts';
import { errorReply, hangingReply, openUpstream } from '../gateway-doubles/upstream-server.ts';
import { builtGateway } from '../support/gateway-process.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { settledLedger } from '../support/settled-ledger.ts';

const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };
const model = { id: 'acme/large', pricing: { prompt: '0.000001', completion: '0.000002' } };

test('kill -9 while a provider is asked for the cost of an abandoned answer leaves no charge, no hold and an exact ledger', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-kill-billing-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const database = join(folder, 'ledger.db');
  const models = errorReply(200, { data: [model] });
  const begun = hangingReply(completionEvent({ role: 'assistant', content: 'Hello' }));
  const upstream = await openUpstream((call, response) => {
    if (call.method === 'POST') return begun(call, response);
    return call.path.startsWith('/v1/models') ? models(call, response) : undefined;
  });
  onTestFinished(upstream.close);
  const {
    keys: [key],
  } = await prepaidAccount(database, env, '5', 1);
  const provider = { OPENROUTER_API_KEY: 'k', OPENROUTER_BASE_URL: `${upstream.origin}/v1` };
  const gateway = await (await builtGateway()).start(database, { env: { ...env, ...provider } });
  onTestFinished(async () => void (await gateway.kill('SIGKILL')));
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const listed = async () => (await fetch(`${gateway.url}/v1/models`, { headers })).text();
  await expect.poll(listed).toContain('openrouter/acme/large');

  const body = { model: 'openrouter/acme/large', stream: true, messages: [{ role: 'user', content: 'hi' }] };
  const asked = request(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers }, (answer) => {
    answer.on('error', () => {});
    answer.once('data', () => asked.destroy());
  });
  asked.on('error', () => {});
  asked.end(JSON.stringify(body));
  await expect.poll(() => upstream.calls.map(({ path }) => path)).toContain('/v1/generation?id=c');
  await gateway.kill('SIGKILL');

  const gatewayDb = await settledLedger(database, env, []);
  expect(gatewayDb).toMatchObject({ problems: [], running: 0, held: '0', entries: [] });
  expect(gatewayDb.count('failed', 'interrupted')).toBe(1);
});
