import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { accountWithKey, chat, serve, workplace } from '../../tests/gateway-doubles/cli-process.ts';
import { openHttpProxy } from '../../tests/support/proxies.ts';
import { openTlsUpstream } from '../../tests/support/tls-upstream.ts';

/** An office network: every call leaves through a proxy with a password, and only the proxy can resolve the upstream's name. */
const name = 'models.office.example';
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const answer =
  event({ choices: [{ delta: { content: 'by the proxy' }, finish_reason: 'stop' }] }) +
  event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 3 } });

async function office() {
  const { directory, database } = await workplace();
  const { key } = await accountWithKey(database);
  const upstream = await openTlsUpstream(name, (request, response) => {
    response.setHeader('content-type', request.url?.endsWith('/models') ? 'application/json' : 'text/event-stream');
    response.end(request.url?.endsWith('/models') ? '{"data":[]}' : `${answer}data: [DONE]\n\n`);
  });
  const proxy = await openHttpProxy({ hosts: { [name]: '127.0.0.1' }, user: 'me', password: 'right' });
  onTestFinished(async () => {
    await upstream.close();
    await proxy.close();
  });
  const authority = join(directory, 'authority.pem');
  writeFileSync(authority, upstream.authority);
  const given = {
    OPENAI_API_KEY: 'sk-office-000000',
    OPENAI_BASE_URL: `${upstream.origin}/v1`,
    NODE_EXTRA_CA_CERTS: authority,
  };
  const ask = async (env: Record<string, string>) => {
    const { url } = await serve(database, [], { ...given, ...env });
    const response = await chat(url, key, { prompt: 'hi', model: 'openai/gpt-4o-mini' });
    return { status: response.status, body: await response.json() };
  };
  return { proxy, ask };
}

test('a gateway reaches its upstream through the proxy of the environment', async () => {
  const { proxy, ask } = await office();
  expect(await ask({ HTTPS_PROXY: proxy.url })).toMatchObject({ status: 200, body: { text: 'by the proxy' } });
  expect(proxy.reached.length).toBeGreaterThan(0);
});

test('the error explains what the proxy requires, without revealing the credentials', async () => {
  const { proxy, ask } = await office();
  const { status, body } = await ask({ https_proxy: proxy.url.replace('right', 'wrong-canary') });
  expect(status).toBe(502);
  expect(body.error.message).toContain('the proxy wants another user name and password');
  expect(JSON.stringify(body)).not.toContain('wrong-canary');
});
