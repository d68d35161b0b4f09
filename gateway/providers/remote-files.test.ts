import { promises as dns } from 'node:dns';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import {
  completion,
  everyId,
  getModel,
  openCanary,
  openOwnServers,
  prompt,
} from '../../tests/gateway-doubles/own-servers.ts';
import { privateSpellings } from '../../tests/gateway-doubles/private-spellings.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import { Secret } from '../access/auth/secret.ts';
import type { Download } from './upstream/fetched-files.ts';

const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
const apiKey = new Secret('platform-key');
const getCode = async (response: Response) => `${response.status} ${(await response.json()).error?.code}`;
const refusals = /^400 (file_download_failed|invalid_image)$/;

let servers: Awaited<ReturnType<typeof openOwnServers>>;
let canary: Awaited<ReturnType<typeof openCanary>>;
beforeEach(async () => {
  servers = await openOwnServers();
  canary = await openCanary();
});
afterEach(() => vi.restoreAllMocks());

describe('a URL of a private address', () => {
  test.each(everyId)('a private URL is refused in every spelling, and %s never sees it', async (id) => {
    const { post } = await servers.gateway();
    for (const url of privateSpellings(canary.port)) {
      const response = await post('/v1/chat/completions', completion(getModel(id), url));
      expect([url, await getCode(response)]).toEqual([url, expect.stringMatching(refusals)]);
    }
    expect([servers.sent(), canary.connects]).toEqual([[], 0]);
  });

  test('a private URL is refused by both chat APIs, by quotes, and when the router chooses the model', async () => {
    const { post, pass } = await servers.gateway();
    for (const url of privateSpellings(canary.port)) {
      pass(60_000);
      const answers = [
        await post('/chat', prompt('vllm/sees', url)),
        await post('/chat', prompt('router', url)),
        await post('/v1/quote', prompt('vllm/sees', url)),
        await post('/v1/quote', completion('openai-compatible/sees', url)),
        await post('/v1/chat/completions', { ...completion('router', url), stream: true }),
      ];
      for (const answer of answers)
        expect([url, await getCode(answer)]).toEqual([url, expect.stringMatching(refusals)]);
    }
    expect([servers.sent(), canary.connects]).toEqual([[], 0]);
  });

  test('the error for a private URL contains its place in the request and only its host', async () => {
    const { post } = await servers.gateway();
    const answer = await post('/chat', prompt('vllm/sees', 'https://10.0.0.1/a-secret'));
    const { error } = await answer.json();
    expect(error).toMatchObject({ param: 'files[0].image_url.url', message: expect.stringContaining('10.0.0.1') });
    expect(JSON.stringify(error)).not.toContain('a-secret');
  });

  test('a private address is refused behind a name too, even one that changes or has several addresses', async () => {
    const addresses = ['127.0.0.1', '::1', '10.0.0.1', '169.254.169.254', '::ffff:127.0.0.1', 'fd00:ec2::254'];
    const entry = (address: string) => ({ address, family: address.includes(':') ? 6 : 4 });
    let asked = 0;
    vi.spyOn(dns, 'lookup').mockImplementation((async (name: string) => {
      asked += 1;
      const inside = entry(addresses[asked % addresses.length] ?? '');
      return name === 'two.example.com' ? [entry('8.8.8.8'), inside] : [inside];
    }) as unknown as typeof dns.lookup);
    const { post, pass } = await servers.gateway();
    const names = ['inside.example.com', '127.0.0.1.nip.io', 'localtest.me', 'two.example.com', 'example.com.'];
    for (const id of everyId) {
      pass(60_000);
      for (const name of names) {
        const body = completion(getModel(id), `https://${name}:${canary.port}/x.png`);
        expect(await getCode(await post('/v1/chat/completions', body)), id).toBe('400 file_download_failed');
      }
    }
    expect([servers.sent(), canary.connects, asked]).toEqual([[], 0, everyId.length * names.length]);
  });
});

describe('the URL of a public picture', () => {
  const address = 'https://files.example.com/cat.png';
  const bytes = png.toString('base64');
  const fetched = (): { readonly urls: string[]; readonly download: Download } => {
    const urls: string[] = [];
    const download: Download = async (url) => {
      urls.push(url);
      return { bytes: png, contentType: 'image/png', charset: null, url };
    };
    return { urls, download };
  };

  test('a public picture is downloaded for every self-hosted server, with both chat APIs', async () => {
    const { urls, download } = fetched();
    const { post } = await servers.gateway({ download });
    for (const id of everyId) {
      expect((await post('/v1/chat/completions', completion(getModel(id), address))).status, id).toBe(200);
      expect((await post('/chat', prompt(getModel(id), address))).status, id).toBe(200);
    }
    expect(urls).toEqual(Array(everyId.length * 2).fill(address));
    expect(servers.sent()).toHaveLength(everyId.length * 2);
    for (const body of servers.sent()) {
      expect(body).toContain(bytes);
      expect(body).not.toContain('files.example.com');
    }
  });

  /** A fetch for which the vendors are down, and every other server is on this machine. */
  function vendorsDown() {
    const asked: string[] = [];
    const send: typeof fetch = async (input, init) => {
      if (!String(input).startsWith('https://api.')) return fetch(input, init);
      asked.push(`${input} ${await new Response(init?.body ?? null).text()}`);
      return Response.json({ error: { message: 'down' } }, { status: 503 });
    };
    return { asked, send };
  }

  test('the URL of a public picture is passed to a vendor in a spelling that all parsers read alike', async () => {
    const { urls, download } = fetched();
    const { asked, send } = vendorsDown();
    const providers = {
      openai: { apiKey, baseUrl: 'https://api.openai.com/v1/' },
      anthropic: { apiKey, baseUrl: 'https://api.anthropic.com' },
    };
    const { post } = await openTestGateway({ plan: 'local', fetch: send, download, providers });
    for (const id of ['openai', 'anthropic']) {
      await post('/v1/chat/completions', completion(getModel(id), 'https://files.example.com:443\\x\\..\\cat.png'));
      await post('/v1/chat/completions', completion(getModel(id), 'HTTPS://FILES.example.com:443/x/../cat.png'));
    }
    const [openai, anthropic] = ['https://api.openai.com/v1/chat/completions', 'https://api.anthropic.com/v1/messages'];
    expect(asked.map((seen) => seen.split(' ')[0])).toEqual([openai, openai, anthropic, anthropic]);
    for (const seen of asked) expect(seen).toContain(`"${address}"`);
    expect(urls).toEqual([]);
  });

  test('a public picture is downloaded when the fallback for a vendor is a self-hosted server', async () => {
    const { urls, download } = fetched();
    const { asked, send } = vendorsDown();
    const providers = {
      openai: { apiKey, baseUrl: 'https://api.openai.com/v1' },
      anthropic: { apiKey, baseUrl: `${servers.origin}/anthropic` },
    };
    const { post } = await openTestGateway({ plan: 'local', fetch: send, download, providers });
    const route = { policy: 'cheapest', only: [getModel('openai'), getModel('anthropic')] };
    const answer = await post('/v1/chat/completions', { ...completion('router', address), route });
    expect([answer.status, (await answer.json()).provider, asked.length]).toEqual([200, 'anthropic', 1]);
    expect(urls).toEqual([address]);
    expect(servers.sent().join()).toContain(bytes);
    expect(servers.sent().join()).not.toContain('files.example.com');
  });

  test('a public URL is passed to a self-hosted server when its operator allows that and the server can fetch', async () => {
    const { urls, download } = fetched();
    const { post } = await servers.gateway({ download, providers: servers.credentials({ mayFetch: true }) });
    for (const id of ['vllm', 'openai-compatible', 'openai', 'anthropic', 'ollama', 'google']) {
      expect((await post('/v1/chat/completions', completion(getModel(id), address))).status).toBe(200);
    }
    expect(servers.sent().map((body) => body.includes(address))).toEqual([true, true, true, true, false, false]);
    expect(urls).toEqual([address, address]);
  });

  test('a public picture is sent to a vendor as bytes when the operator forbids it to fetch', async () => {
    const { urls, download } = fetched();
    const bodies: unknown[] = [];
    const { post } = await openTestGateway({
      plan: 'local',
      download,
      fetch: async (_url, init) => {
        bodies.push(init?.body);
        return new Response(recordedStreams.openai.join(''), { headers: { 'content-type': 'text/event-stream' } });
      },
      providers: { openai: { apiKey, baseUrl: 'https://api.openai.com/v1', mayFetch: false } },
    });
    expect((await post('/chat', prompt('openai/gpt-5.4-mini', address))).status).toBe(200);
    expect(urls).toEqual([address]);
    expect(String(bodies)).not.toContain('files.example.com');
  });

  test('a public picture is downloaded by the gateway even when the caller uses its own key', async () => {
    const { urls, download } = fetched();
    const { post } = await servers.gateway({ download, plan: 'pro' });
    const body = { ...completion('openai/gpt-5.4-mini', address), byoapi_key: 'a-key-of-the-caller' };
    expect((await post('/v1/chat/completions', body)).status).toBe(200);
    expect(urls).toEqual([address]);
    expect(servers.sent().join()).not.toContain('files.example.com');
  });
});

describe('a document given by its URL', () => {
  const document = 'https://files.example.com/report.pdf';
  const pdf = Buffer.from('%PDF-1.7 a report');
  const read = (model: string, url: string) => ({
    model,
    max_tokens: 10,
    messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: url } }] }],
  });
  const comes = (bytes: Buffer) => {
    const urls: string[] = [];
    const download: Download = async (url) => {
      urls.push(url);
      return { bytes, contentType: 'application/pdf', charset: null, url };
    };
    return { urls, download };
  };

  test.each(['openai', 'anthropic', 'google'])(
    'a document is downloaded by the gateway for %s, even if the provider may fetch',
    async (id) => {
      const { urls, download } = comes(pdf);
      const { post } = await servers.gateway({ download, providers: servers.credentials({ mayFetch: true }) });
      expect((await post('/v1/chat/completions', read(getModel(id), document))).status).toBe(200);
      expect(urls).toEqual([document]);
      expect(servers.sent().at(-1)).toContain(pdf.toString('base64'));
      expect(servers.sent().at(-1)).not.toContain('files.example.com');
    },
  );

  test('a document is refused like a picture when its address is private', async () => {
    const { post } = await servers.gateway();
    for (const url of privateSpellings(canary.port).filter((each) => !each.startsWith('data:'))) {
      const response = await post('/v1/chat/completions', read(getModel('openai'), url));
      expect([url, await getCode(response)]).toEqual([
        url,
        expect.stringMatching(/^400 (file_download_failed|invalid_file)$/),
      ]);
    }
    expect([servers.sent(), canary.connects]).toEqual([[], 0]);
  });

  test('a document that is not a PDF is refused with its place in the request', async () => {
    const { download } = comes(png);
    const { post } = await servers.gateway({ download });
    const answer = await post('/v1/chat/completions', read(getModel('openai'), document));
    expect(await answer.json()).toMatchObject({
      error: { code: 'file_download_failed', param: 'messages[0].content[0].file.file_data' },
    });
  });

  test('a document given by its URL needs as much balance as a long document might cost', async () => {
    const { post } = await servers.gateway({ plan: 'pro', balance: '0.001' });
    const answer = await post('/v1/chat/completions', read(getModel('openai'), document));
    expect(await getCode(answer)).toBe('402 insufficient_credits');
  });
});
