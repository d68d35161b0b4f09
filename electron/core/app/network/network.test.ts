import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type DownloadRules, guardedDownload } from '#gateway/providers/upstream/guarded-download.ts';
import { openHttpProxy, openSocksProxy } from '../../../../tests/support/proxies.ts';
import { testCore } from '../../../../tests/support/test-core.ts';
import { openTlsUpstream } from '../../../../tests/support/tls-upstream.ts';
import { logPaths } from '../../runtime/log/log.ts';
import { isBypassed, type NetworkRules, openNetwork, usualRules } from './open-network.ts';
import { testConnection } from './test-way.ts';

/** Real proxies in front of a real https server, whose name only the proxies know. */

const name = 'models.office.example';
let upstream: Awaited<ReturnType<typeof openTlsUpstream>>;
const toHere = { hosts: { [name]: '127.0.0.1' } };
beforeAll(async () => {
  upstream = await openTlsUpstream(name, (request, response) => {
    const bytes = request.method === 'POST' ? request : null;
    if (bytes) bytes.pipe(response);
    else response.end(`from ${request.headers.host}`);
  });
});
afterAll(() => upstream.close());

const limits = { maxBytes: 1_000, timeoutMs: 10_000 };
/** The real rules for downloads, except that this computer counts as public. */
const hereIsPublic: Partial<DownloadRules> = {
  mayReach: (address) => address === '127.0.0.1',
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
};

interface Ways {
  readonly environment?: (origin: string) => string | null;
  readonly system?: (origin: string) => Promise<string | null>;
}

function open(rules: Partial<NetworkRules>, { environment = () => null, system }: Ways = {}) {
  const network = openNetwork({ byEnvironment: environment, bySystem: system ?? null, log: () => {} });
  network.apply({ ...usualRules, certificates: upstream.authority, ...rules });
  return network;
}
const getHops = (network: ReturnType<typeof open>, origin = upstream.origin) =>
  testConnection(origin, { network, elapsed: () => performance.now(), signal: undefined });

describe.each([
  ['HTTP', openHttpProxy],
  ['SOCKS5', openSocksProxy],
])('through an %s proxy', (_kind, openProxy) => {
  test('every request goes to names that only the proxy knows, with its body', async () => {
    const proxy = await openProxy(toHere);
    const network = open({ proxy: 'fixed', address: proxy.url });
    try {
      expect(await (await network.fetch(`${upstream.origin}/a`)).text()).toBe(`from ${name}:${upstream.port}`);
      const sent = 'x'.repeat(300_000);
      expect(await (await network.fetch(upstream.origin, { method: 'POST', body: sent })).text()).toBe(sent);
      expect(new Set(proxy.reached)).toEqual(new Set([`${name}:${upstream.port}`]));
      expect((await getHops(network)).map(({ step, found }) => [step, found])).toEqual([
        ['proxy', proxy.url],
        ['connection', expect.stringContaining('127.0.0.1')],
        ['answer', 'HTTP 200'],
      ]);
    } finally {
      await network.close();
      await proxy.close();
    }
  });

  test('a page that an answer links to is downloaded through the proxy, by public address and never by name', async () => {
    const proxy = await openProxy();
    const network = open({ proxy: 'fixed', address: proxy.url });
    try {
      const page = `${upstream.origin}/page?x=1`;
      const { bytes, url } = await guardedDownload(page, { ...limits, rules: hereIsPublic, route: network.route });
      expect([bytes.toString(), url]).toEqual([`from ${name}:${upstream.port}`, page]);
      expect(proxy.reached).toEqual([`127.0.0.1:${upstream.port}`]);
      const inside = guardedDownload('https://inside.example/x', {
        ...limits,
        rules: { ...hereIsPublic, resolve: async () => [{ address: '10.0.0.1', family: 4 }] },
        route: network.route,
      });
      await expect(inside).rejects.toMatchObject({ message: /not on the public internet/ });
      expect(proxy.reached).toHaveLength(1);
    } finally {
      await network.close();
      await proxy.close();
    }
  });

  test('a page is not downloaded past a missing proxy or from a server with another name’s certificate', async () => {
    const proxy = await openProxy();
    const network = open({ proxy: 'fixed', address: proxy.url });
    const other = { ...hereIsPublic, resolve: async () => [{ address: '127.0.0.1', family: 4 }] };
    const options = { ...limits, rules: other, route: network.route };
    try {
      const wrongName = guardedDownload(`https://other.example:${upstream.port}/`, options);
      await expect(wrongName).rejects.toMatchObject({ code: 'file_download_failed' });
      await proxy.close();
      const gone = guardedDownload(upstream.origin, options);
      await expect(gone).rejects.toMatchObject({ code: 'file_download_failed', message: /could not be reached/ });
    } finally {
      await network.close();
    }
  });

  test('a proxy gets user and password if it asks for them, and wrong ones are reported', async () => {
    const proxy = await openProxy({ ...toHere, user: 'Änne', password: 'p@ss:wörd' });
    const { host, protocol } = new URL(proxy.url);
    const address = `${protocol}//${host}`;
    const right = open({ proxy: 'fixed', address, username: 'Änne', password: 'p@ss:wörd' });
    const wrong = open({ proxy: 'fixed', address, username: 'Änne', password: 'other' });
    try {
      expect((await right.fetch(upstream.origin)).status).toBe(200);
      await expect(wrong.fetch(upstream.origin)).rejects.toThrow();
      const last = (await getHops(wrong)).at(-1);
      expect(last).toMatchObject({ step: 'answer', found: null, problem: { refusal: { name: 'networkProxyAuth' } } });
      expect(JSON.stringify(await getHops(right))).not.toMatch(/p@ss|wörd|%/);
    } finally {
      await Promise.all([right.close(), wrong.close()]);
      await proxy.close();
    }
  });
});

test('requests before the settings are loaded wait for them, except those to this computer', async () => {
  const proxy = await openHttpProxy(toHere);
  const plain = createServer((_request, response) => response.end('here'));
  await new Promise<void>((done) => plain.listen(0, '127.0.0.1', done));
  const network = openNetwork({ byEnvironment: () => null, bySystem: null, log: () => {} });
  try {
    const early = network.fetch(upstream.origin);
    const { port } = plain.address() as AddressInfo;
    expect(await (await network.fetch(`http://127.0.0.1:${port}`)).text()).toBe('here');
    expect(proxy.reached).toEqual([]);
    network.apply({ ...usualRules, proxy: 'fixed', address: proxy.url, certificates: upstream.authority });
    expect(await (await early).text()).toContain(name);
    expect(proxy.reached).toEqual([`${name}:${upstream.port}`]);
  } finally {
    await network.close();
    await proxy.close();
    plain.close();
  }
});

test('with the system setting, the environment comes first, then the system’s proxy, and this computer is reached directly', async () => {
  const [first, other] = [await openHttpProxy(toHere), await openHttpProxy(toHere)];
  const asked: string[] = [];
  const system = async (origin: string) => {
    asked.push(origin);
    return other.url;
  };
  const environment = open({}, { environment: (origin) => (origin.includes(name) ? first.url : null), system });
  const settings = open({}, { system });
  const broken = open({}, { system: () => Promise.reject(new Error('no answer')) });
  const plain = await openTlsUpstream('localhost', (_request, response) => void response.end('here'));
  try {
    await environment.fetch(upstream.origin);
    expect([first.reached.length, other.reached.length, asked.length]).toEqual([1, 0, 0]);
    await Promise.all([settings.fetch(upstream.origin), settings.fetch(upstream.origin)]);
    expect([first.reached.length, other.reached.length > 0, asked]).toEqual([1, true, [upstream.origin]]);

    settings.apply({ ...usualRules, certificates: plain.authority });
    expect(await (await settings.fetch(plain.origin)).text()).toBe('here');
    expect(asked).toEqual([upstream.origin]);
    // If the system gives no answer, the request goes out without a proxy. It fails because nobody else knows the name.
    await expect(broken.fetch(upstream.origin)).rejects.toThrow();
    expect((await getHops(broken, 'http://127.0.0.1:1')).at(-1)?.problem?.refusal?.name).toBe('networkRefused');
  } finally {
    await Promise.all([environment, settings, broken].map((network) => network.close()));
    await Promise.all([first.close(), other.close(), plain.close()]);
  }
});

test('an unknown certificate authority is trusted only once it is added, and the usual ones stay trusted', async () => {
  const proxy = await openHttpProxy(toHere);
  const network = open({ proxy: 'fixed', address: proxy.url, certificates: '' });
  try {
    const last = (await getHops(network)).at(-1);
    expect(last).toMatchObject({ step: 'answer', problem: { refusal: { name: 'networkUntrusted' } } });
    network.apply({ ...usualRules, proxy: 'fixed', address: proxy.url, certificates: `Ours:\n${upstream.authority}` });
    expect((await network.fetch(upstream.origin)).status).toBe(200);
  } finally {
    await network.close();
    await proxy.close();
  }
});

test('without the network stack no request bypasses a configured proxy, and others go directly', async () => {
  vi.doMock('undici', () => {
    throw new Error('undici needs a newer Node');
  });
  const direct = createServer((_, response) => response.end('here')).listen(0, '127.0.0.1');
  await once(direct, 'listening');
  onTestFinished(() => {
    vi.doUnmock('undici');
    direct.close();
  });
  const named = open({ proxy: 'fixed', address: 'http://127.0.0.1:9' });
  const refused = { code: 'upstream_unreachable', refusal: { name: 'networkTooOld' } };
  await expect(named.fetch('http://models.office.example/')).rejects.toMatchObject(refused);
  const here = `http://127.0.0.1:${(direct.address() as AddressInfo).port}/`;
  expect(await (await named.fetch(here)).text()).toBe('here');
});

test('an unreachable proxy and an unknown host name are reported differently', async () => {
  const gone = await openHttpProxy();
  await gone.close();
  const network = open({ proxy: 'fixed', address: gone.url });
  expect((await getHops(network)).map(({ step, problem }) => [step, problem?.refusal?.name])).toEqual([
    ['proxy', undefined],
    ['connection', 'networkRefused'],
  ]);
  network.apply({ ...usualRules, proxy: 'none' });
  expect((await getHops(network)).at(-1)).toMatchObject({
    step: 'name',
    problem: { refusal: { name: 'networkNameUnknown' } },
  });
  await network.close();
});

test.each([
  ['https://intranet.example', 'other.example, intranet.example', true],
  ['https://a.intranet.example', 'intranet.example', false],
  ['https://a.intranet.example', '*.intranet.example', true],
  ['https://a.intranet.example', '.intranet.example', true],
  ['https://intranet.example', '*.intranet.example', false],
  ['https://intranet.example:8443', 'intranet.example:443', false],
  ['https://intranet.example', 'INTRANET.example:443;x', true],
  ['http://10.0.0.1', '10.0.0.1', true],
  ['https://anything.example', '*', true],
  ['https://anything.example', '', false],
])('%s with the bypass list "%s" is reached directly: %s', (origin, bypass, directly) => {
  expect(isBypassed(origin, bypass)).toBe(directly);
});

describe('the network settings', () => {
  const fixed = {
    proxy: 'fixed',
    address: 'http://proxy.example:3128',
    username: '',
    bypass: '',
    certificates: '',
  } as const;

  test('store the password only in the keychain and never return it', async () => {
    const core = await testCore();
    try {
      const { network } = core.client;
      expect(await network.get()).toMatchObject({ proxy: 'system', hasPassword: false });
      const saved = await network.set({ ...fixed, username: 'me', password: 'secret-canary' });
      expect(saved).toMatchObject({ ...fixed, username: 'me', hasPassword: true });
      expect(JSON.stringify(saved)).not.toContain('secret-canary');
      expect(await network.set({ ...fixed, username: 'me' })).toMatchObject({ hasPassword: true });
      expect(await network.set({ ...fixed, username: 'me', password: null })).toMatchObject({ hasPassword: false });
    } finally {
      await core.close();
    }
  });

  test.each([
    ['an empty file', ''],
    ['half a file', '{"proxy":"fix'],
    ['another shape', '{"proxy":"fixed"}'],
  ])('that cannot be read close the way to the outside until they are set again: %s', async (_what, content) => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'portico-'));
    await writeFile(join(dataFolder, 'network.json'), content);
    const core = await testCore({ dataFolder });
    try {
      const { network } = core.client;
      const status = await network.get();
      expect(status).toMatchObject({ proxy: 'system', problem: { refusal: { name: 'networkUnreadable' } } });
      expect(await readFile(logPaths(dataFolder)[1], 'utf8')).toContain('network_settings');
      const origin = status.targets[0]?.origin ?? '';
      expect(await network.test({ origin })).toMatchObject([
        { step: 'proxy', found: null, problem: { message: expect.stringContaining('calls nothing outside') } },
      ]);
      expect(await network.set({ ...fixed, address: 'http://127.0.0.1:9' })).toMatchObject({ problem: null });
      expect(await network.test({ origin })).toMatchObject([{ step: 'proxy', found: 'http://127.0.0.1:9' }, {}]);
    } finally {
      await core.close();
    }
  });

  test.each([
    ['that cannot be read', 'nonsense'],
    ['of the system', null],
  ])('%s are set where there is no keychain, but not over a password in a locked one', async (_what, content) => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'portico-'));
    if (content !== null) await writeFile(join(dataFolder, 'network.json'), content);
    let why = 'no secret service is there';
    const fails = () => Promise.reject(new Error(why));
    const core = await testCore({ dataFolder, openSecrets: async () => ({ get: fails, set: fails, remove: fails }) });
    try {
      const { network } = core.client;
      expect(await network.set({ ...fixed, proxy: 'none' })).toMatchObject({ proxy: 'none', problem: null });
      expect(await network.set(fixed)).toMatchObject({ ...fixed, problem: null });
      why = 'the keychain is locked';
      await expect(network.set({ ...fixed, proxy: 'none' })).rejects.toMatchObject({ code: 'keychain_locked' });
      expect(await network.get()).toMatchObject(fixed);
    } finally {
      await core.close();
    }
  });

  test('that cannot be read: no page is fetched, this computer is still called', async () => {
    const network = open({ unreadable: true });
    await expect(network.fetch(upstream.origin)).rejects.toMatchObject({ code: 'upstream_unreachable' });
    await expect(
      guardedDownload(upstream.origin, { ...limits, rules: hereIsPublic, route: network.route }),
    ).rejects.toThrow();
    const server = createServer((_request, response) => response.end('here'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await (await network.fetch(`http://127.0.0.1:${port}`)).text()).toBe('here');
    await network.close();
  });

  test.each([
    ['proxy.example', 'proxyAddress'],
    ['ftp://proxy.example', 'proxyAddress'],
    ['http://proxy.example/path', 'proxyAddress'],
    ['http://me:secret@proxy.example', 'proxyHasPassword'],
  ])('refuse %s as an address', async (address, why) => {
    const core = await testCore();
    try {
      await expect(core.client.network.set({ ...fixed, address })).rejects.toMatchObject({
        code: 'invalid_input',
        data: { refusal: { name: why } },
      });
      expect(await core.client.network.get()).toMatchObject({ proxy: 'system' });
    } finally {
      await core.close();
    }
  });

  test('refuse an invalid certificate, and a test of an origin that the app does not call', async () => {
    const core = await testCore();
    try {
      const { network } = core.client;
      const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
      for (const certificates of ['hello', broken])
        await expect(network.set({ ...fixed, certificates })).rejects.toMatchObject({ code: 'invalid_input' });
      for (const origin of ['http://127.0.0.1:22', 'https://elsewhere.example', 'file:///etc/passwd'])
        await expect(network.test({ origin })).rejects.toMatchObject({ code: 'invalid_input' });
    } finally {
      await core.close();
    }
  });
});
