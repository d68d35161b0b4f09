import { expect, onTestFinished, test } from 'vitest';
import { serveMetrics, serveSettings } from './server.ts';

test('without variables no proxy is trusted, metrics are off and the drain begins at once', () => {
  expect(serveSettings({ PORTICO_METRICS: ' ' })).toEqual({
    hosts: [],
    origins: [],
    proxies: null,
    metrics: null,
    noticeMs: 0,
    drainMs: 27_000,
    routingDetailDays: null,
    reasoningMs: 3_600_000,
  });
});

test('variables are applied', () => {
  const settings = serveSettings({
    PORTICO_HOSTS: 'api.example.com, b',
    PORTICO_TRUSTED_PROXIES: '10.0.0.0/8',
    PORTICO_PROXY_HEADER: 'Forwarded',
    PORTICO_METRICS: '[::]:9464',
    PORTICO_DRAIN_NOTICE: '2.5',
    PORTICO_DRAIN_TIMEOUT: '60',
    PORTICO_ROUTING_DETAIL_DAYS: '90',
    PORTICO_KEPT_REASONING: '0',
    PORTICO_CORS_ORIGINS: 'https://app.example.com',
  });
  expect(settings).toMatchObject({
    hosts: ['api.example.com', 'b'],
    noticeMs: 2500,
    drainMs: 60_000,
    routingDetailDays: 90,
    reasoningMs: 0,
    origins: ['https://app.example.com'],
    metrics: { host: '::', port: 9464, token: null },
  });
  expect([settings.proxies?.header, settings.proxies?.addresses.check('10.1.2.3')]).toEqual(['forwarded', true]);
});

test.each([
  ['PORTICO_TRUSTED_PROXIES', 'proxy.local', /"proxy.local" is neither/],
  ['PORTICO_PROXY_HEADER', 'x-real-ip', /must be "x-forwarded-for" or "forwarded"/],
  ['PORTICO_METRICS', 'yes', /must be a port, or an address and a port/],
  ['PORTICO_METRICS', '127.0.0.1:99999', /must be a port/],
  ['PORTICO_DRAIN_NOTICE', '-1', /PORTICO_DRAIN_NOTICE must be a number of seconds/],
  ['PORTICO_ROUTING_DETAIL_DAYS', '0', /must be a whole number of days, from 1 to 3650/],
  ['PORTICO_CORS_ORIGINS', '*', /PORTICO_CORS_ORIGINS cannot be "\*"/],
  ['PORTICO_KEPT_REASONING', '1441', /must be a whole number of minutes, from 0 to 1440/],
  ['PORTICO_DRAIN_TIMEOUT', '1h', /PORTICO_DRAIN_TIMEOUT must be a number of seconds/],
])('%s cannot be %s, and the start fails with an explanation', (name, value, sentence) => {
  expect(() => serveSettings({ [name]: value })).toThrow(sentence);
});

test('metrics require the token and a host name of this machine', async () => {
  const { metrics } = serveSettings({ PORTICO_METRICS: '0', PORTICO_METRICS_TOKEN: 'a secret' });
  if (!metrics) throw new Error('unreachable');
  const server = await serveMetrics(metrics, () => 'portico_info 1\n');
  onTestFinished(() => server.close());
  const url = `http://127.0.0.1:${server.port}`;
  const headers = { authorization: 'Bearer a secret' };
  const answer = await fetch(`${url}/metrics`, { headers });
  expect([answer.status, await answer.text()]).toEqual([200, 'portico_info 1\n']);
  const getStatus = async (path: string, init: RequestInit) => (await fetch(`${url}${path}`, init)).status;
  expect(await getStatus('/metrics', {})).toBe(401);
  expect(await getStatus('/metrics', { headers: { authorization: 'Bearer a secre' } })).toBe(401);
  expect(await getStatus('/metrics', { headers, method: 'POST' })).toBe(405);
  expect(await getStatus('/chat', { headers })).toBe(404);
  await expect(serveMetrics({ ...metrics, port: server.port }, () => '')).rejects.toThrow(
    /^Metrics cannot be served on/,
  );
});
