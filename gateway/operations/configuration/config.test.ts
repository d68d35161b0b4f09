import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from './config.ts';

function file(content: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'portico-config-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'config.json');
  writeFileSync(path, content);
  return path;
}

const shown = (config: ReturnType<typeof loadConfig>) =>
  Object.entries(config.providers).map(([id, { apiKey, baseUrl }]) => [id, apiKey?.reveal() ?? null, baseUrl]);

describe('the configuration', () => {
  test('the configuration contains only the sandbox when nothing is configured', () => {
    expect(loadConfig(undefined, {})).toEqual({
      providers: {},
      inFile: [],
      plans: {},
      sandbox: true,
      aliases: {},
      hosts: [],
      byokFeeBps: 0,
    });
  });

  test('the configuration drains the providers that the environment names, unless the file sets it otherwise', () => {
    const env = { OPENAI_API_KEY: 'k', OPENROUTER_API_KEY: 'k', PORTICO_ON_DISCONNECT_DRAIN: 'openai, openrouter' };
    const drained = (config: ReturnType<typeof loadConfig>) =>
      Object.entries(config.providers).map(([id, { onDisconnect }]) => [id, onDisconnect]);
    expect(drained(loadConfig(undefined, env))).toEqual([
      ['openai', 'drain'],
      ['openrouter', 'drain'],
    ]);
    const path = file('{"providers": {"openai": {"apiKey": "f", "on_disconnect": "abort"}}}');
    expect(drained(loadConfig(path, env))).toEqual([
      ['openai', 'abort'],
      ['openrouter', 'drain'],
    ]);
    const wrong = { ...env, PORTICO_ON_DISCONNECT_DRAIN: 'opnai' };
    expect(() => loadConfig(undefined, wrong)).toThrow('names "opnai", which has no key or address');
  });

  test('the configuration lets the providers fetch that the environment names, unless the file sets it otherwise', () => {
    const env = { OPENAI_API_KEY: 'k', VLLM_BASE_URL: 'http://10.0.0.7:8000/v1', PORTICO_MAY_FETCH: 'vllm, openai' };
    const fetching = (config: ReturnType<typeof loadConfig>) =>
      Object.entries(config.providers).map(([id, { mayFetch }]) => [id, mayFetch]);
    expect(fetching(loadConfig(undefined, { ...env, PORTICO_MAY_FETCH: 'vllm' }))).toEqual([
      ['openai', undefined],
      ['vllm', true],
    ]);
    const path = file('{"providers": {"openai": {"apiKey": "f", "may_fetch": false}}}');
    expect(fetching(loadConfig(path, env))).toEqual([
      ['openai', false],
      ['vllm', true],
    ]);
    const wrong = { ...env, PORTICO_MAY_FETCH: 'vlm' };
    expect(() => loadConfig(undefined, wrong)).toThrow('PORTICO_MAY_FETCH names "vlm", which has no key or address');
    const text = file('{"providers": {"vllm": {"may_fetch": "yes"}}}');
    expect(() => loadConfig(text, {})).toThrow('may_fetch');
  });

  test('a provider may have a time limit of its own, of ten seconds to a day', () => {
    const path = file('{"providers": {"vllm": {"baseUrl": "http://127.0.0.1:8000/v1", "timeout_seconds": 3600}}}');
    expect(loadConfig(path, {}).providers.vllm).toMatchObject({ timeoutMs: 3_600_000 });
    for (const seconds of [5, 90_000, '"60"']) {
      const text = `{"providers": {"vllm": {"baseUrl": "http://127.0.0.1:8000/v1", "timeout_seconds": ${seconds}}}}`;
      expect(() => loadConfig(file(text), {})).toThrow('timeout_seconds');
    }
  });

  test('the configuration takes the address and the key of newer prices from the file, or else from the environment', () => {
    const key = generateKeyPairSync('ed25519').publicKey;
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }).toString();
    const text = key.export({ format: 'der', type: 'spki' }).toString('base64');
    const env = { PORTICO_PRICES_URL: 'https://env.example/book.json', PORTICO_PRICES_KEY: text };
    const ofEnvironment = loadConfig(undefined, env);
    expect(ofEnvironment.pricesUrl).toBe('https://env.example/book.json');
    expect(ofEnvironment.pricesKey?.equals(key)).toBe(true);
    const ofFile = loadConfig(
      file(JSON.stringify({ prices: { url: 'https://file.example/b.json', key: other } })),
      env,
    );
    expect(ofFile.pricesUrl).toBe('https://file.example/b.json');
    expect(ofFile.pricesKey?.equals(createPublicKey(other))).toBe(true);
    expect(() => loadConfig(undefined, { PORTICO_PRICES_KEY: 'nonsense' })).toThrow(
      'PORTICO_PRICES_KEY is no public Ed25519 key',
    );
    expect(() => loadConfig(file('{"prices": {"key": "nonsense"}}'), env)).toThrow(
      /is not valid: "prices"."key" is no public Ed25519 key/,
    );
    expect(() => loadConfig(file('{"prices": {"address": "x"}}'), env)).toThrow('prices');
  });

  test('the configuration takes the fee on a caller’s own key from the file, or else from the environment, in integer basis points', () => {
    const env = { PORTICO_BYOK_FEE_BPS: ' 250 ' };
    expect(loadConfig(undefined, env).byokFeeBps).toBe(250);
    expect(loadConfig(file('{"byok_fee_bps": 0}'), env).byokFeeBps).toBe(0);
    expect(loadConfig(file('{"byok_fee_bps": 10000}'), env).byokFeeBps).toBe(10_000);
    for (const text of ['2.5', '-1', '10001', '5%', '1e3']) {
      const wrong = () => loadConfig(undefined, { PORTICO_BYOK_FEE_BPS: text });
      expect(wrong).toThrow('PORTICO_BYOK_FEE_BPS must be a whole number from 0 to 10000.');
    }
    for (const value of ['2.5', '-1', '10001', '"5"']) {
      expect(() => loadConfig(file(`{"byok_fee_bps": ${value}}`), {})).toThrow('byok_fee_bps');
    }
  });

  test('the configuration takes keys from the environment, with the usual addresses or others', () => {
    const env = {
      OPENAI_API_KEY: ' k1 ',
      ANTHROPIC_API_KEY: 'k2',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/',
      GOOGLE_API_KEY: '',
    };
    expect(shown(loadConfig(undefined, env))).toEqual([
      ['openai', 'k1', 'https://api.openai.com/v1'],
      ['anthropic', 'k2', 'http://127.0.0.1:9'],
    ]);
  });

  test('the configuration takes every provider’s key, and the address of each own server', () => {
    const hosted = ['MISTRAL', 'DEEPSEEK', 'XAI', 'GROQ', 'CEREBRAS', 'TOGETHER', 'FIREWORKS', 'OPENROUTER'];
    const env = {
      ...Object.fromEntries(hosted.map((name) => [`${name}_API_KEY`, `key-${name}`])),
      OLLAMA_BASE_URL: 'http://127.0.0.1:11434/v1',
      VLLM_BASE_URL: 'https://10.0.0.5:8000/v1/',
      VLLM_API_KEY: 'v',
      LMSTUDIO_API_KEY: 'a key without an address',
      OPENAI_COMPATIBLE_BASE_URL: 'https://llm.example/v1',
    };
    const found = shown(loadConfig(undefined, env));
    expect(found.slice(0, 8)).toEqual(
      hosted.map((name) => [name.toLowerCase(), `key-${name}`, expect.stringMatching(/^https:/)]),
    );
    expect(found.slice(8)).toEqual([
      ['ollama', null, 'http://127.0.0.1:11434/v1'],
      ['vllm', 'v', 'https://10.0.0.5:8000/v1'],
      ['openai-compatible', null, 'https://llm.example/v1'],
    ]);
  });

  test('the configuration prefers the file to the environment', () => {
    const path = file(
      '{"providers": {"openai": {"apiKey": "f"}, "openai-compatible": {"baseUrl": "http://127.0.0.1:11434/v1"}}, "sandbox": false}',
    );
    const config = loadConfig(path, { OPENAI_API_KEY: 'e' });
    expect(config.sandbox).toBe(false);
    expect(shown(config)).toEqual([
      ['openai', 'f', 'https://api.openai.com/v1'],
      ['openai-compatible', null, 'http://127.0.0.1:11434/v1'],
    ]);
  });

  test('the configuration sets for a provider what happens to an answer when its client disconnects', () => {
    const path = file('{"providers": {"openai": {"apiKey": "f", "on_disconnect": "drain"}, "groq": {"apiKey": "g"}}}');
    const { providers } = loadConfig(path, {});
    expect([providers.openai?.onDisconnect, providers.groq?.onDisconnect]).toEqual(['drain', undefined]);
  });

  test('the configuration refuses a key for an address to which it would be sent unencrypted', () => {
    const address = 'http://10.0.0.5:8000/v1';
    const refusal = /[Tt]he address of "(vllm|openai)" needs https/;
    expect(() => loadConfig(undefined, { VLLM_BASE_URL: address, VLLM_API_KEY: 'v' })).toThrow(refusal);
    expect(() => loadConfig(undefined, { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://proxy.example' })).toThrow(
      refusal,
    );
    const path = file(`{"providers": {"vllm": {"apiKey": "f", "baseUrl": "${address}"}}}`);
    expect(() => loadConfig(path, {})).toThrow(refusal);
    expect(shown(loadConfig(undefined, { VLLM_BASE_URL: address }))).toEqual([['vllm', null, address]]);
  });

  test('the configuration never shows a key by accident', () => {
    const config = loadConfig(undefined, { OPENAI_API_KEY: 'canary-1234' });
    expect(JSON.stringify(config)).not.toContain('canary');
  });

  test.each([
    ['{"providers": {"openai": {"apiKey": "canary"', /is not valid JSON/],
    ['{"providers": {"openai": {}}}', /providers\.openai\.apiKey/],
    [
      '{"providers": {"opnai": {"apiKey": "canary"}}}',
      /providers\.opnai: is no known provider; a server of your own needs "baseUrl"/,
    ],
    ['{"providers": {"openai": {"apiKey": "canary", "baseUrl": "ftp://x"}}}', /must be an http or https URL/],
    ['{"providers": {"openai-compatible": {}}}', /openai-compatible\.baseUrl/],
    ['{"providers": {"router": {"baseUrl": "http://127.0.0.1:1"}}}', /providers\.router: .*cannot be named so/],
    [
      '{"providers": {"near": {"baseUrl": "http://127.0.0.1:1", "api_version": "2024-10-21"}}}',
      /near\.api_version: is for/,
    ],
    [
      '{"providers": {"az": {"kind": "azure-openai", "baseUrl": "https://a.example", "apiKey": "canary"}}}',
      /az\.models: name your/,
    ],
    ['{"providers": {"near": {"kind": "other", "baseUrl": "http://127.0.0.1:1"}}}', /near\.kind: must be one of/],
    [
      '{"providers": {"near": {"baseUrl": "http://127.0.0.1:1", "headers": {"Host": "a"}}}}',
      /headers\.Host: is the gateway/,
    ],
    [
      '{"providers": {"near": {"baseUrl": "http://10.0.0.5/v1", "headers": {"x-a": "canary"}}}}',
      /near: the address .* needs https/,
    ],
    [
      '{"providers": {"near": {"baseUrl": "http://127.0.0.1:1", "headers": {"x-a": "canary\\nb: c"}}}}',
      /x-a: the text holds more/,
    ],
    ['{"providers": {"near": {"baseUrl": "https://canary@a.example/v1"}}}', /no key before its host/],
    [
      '{"providers": {"openai": {"apiKey": {"env": "NOT_THERE"}}}}',
      /openai\.apiKey: the variable NOT_THERE is not set/,
    ],
    [
      '{"providers": {"openai": {"apiKey": {"file": "/nowhere/k"}}}}',
      /the file "\/nowhere\/k" cannot be read \(ENOENT\)/,
    ],
    ['{"providers": {"openai": {"apiKey": " "}}}', /openai\.apiKey: the text is empty/],
    ['{"providers": {"openai": {"apiKey": "canary 2"}}}', /openai\.apiKey: a key has no spaces/],
    ['{"providers": {"openai": {"apiKey": "canary", "keys": [{"label": "a", "key": "canary"}]}}}', /keys: give either/],
    [
      '{"providers": {"openai": {"keys": [{"label": "a", "key": "canary"}, {"label": "a", "key": "canary2"}]}}}',
      /keys: each key needs a label of its own/,
    ],
    [
      '{"providers": {"near": {"baseUrl": "http://127.0.0.1:1", "models": {"m": {"same_as": "openai/x"}}}}}',
      /models\.m\.same_as/,
    ],
    ['{"plans": {"team": {"features": ["fly"]}}}', /plans\.team\.features\.0: must be one of/],
    ['{\n "sandbox": true "hosts": []}', /is not valid JSON, from line 2, column 18 on/],
    ['{"aliases": {"fast": "gpt-5.4"}}', /aliases\.fast: must be "provider\/model"/],
    ['{"aliases": {"auto": "openai/gpt-5.4"}}', /aliases\.auto/],
  ])('the configuration reports the place of a fault without the key: %s', (content, sentence) => {
    const path = file(content);
    expect(() => loadConfig(path, {})).toThrow(sentence);
    expect(() => loadConfig(path, {})).not.toThrow(/canary/);
  });

  test('the configuration accepts servers under own names, with ordered keys, headers, models and prices', () => {
    const key = file('canary-of-file\n');
    const path = file(
      JSON.stringify({
        providers: {
          openai: {
            keys: [
              { label: 'team', env: 'TEAM' },
              { label: 'spare', file: key },
            ],
            baseUrl: 'https://eu.example/v1',
          },
          far: {
            name: 'In the hall',
            baseUrl: 'https://far.example/v1/',
            headers: { 'X-Tenant': { env: 'TENANT' } },
            models: { small: { price: { input: '0.1', output: '0.2' } }, big: { same_as: 'openai/gpt-5.4-mini' } },
          },
        },
        plans: { team: { models: ['far/*'] } },
      }),
    );
    const { providers, plans } = loadConfig(path, {
      TEAM: 'canary-of-team',
      TENANT: 'canary-of-tenant',
      OPENAI_API_KEY: 'x',
    });
    const { openai, far } = providers;
    expect([openai?.apiKey?.reveal(), openai?.baseUrl]).toEqual(['canary-of-team', 'https://eu.example/v1']);
    expect(openai?.keys?.map(({ label, secret }) => [label, secret.reveal()])).toEqual([
      ['team', 'canary-of-team'],
      ['spare', 'canary-of-file'],
    ]);
    expect(far?.server).toEqual({ name: 'In the hall', kind: 'openai-compatible', apiVersion: null });
    expect(far?.headers?.get('x-tenant')?.reveal()).toBe('canary-of-tenant');
    expect(far?.models).toMatchObject([
      { model: 'small', sameAs: null, price: { input: '0.1' } },
      { model: 'big', sameAs: 'openai/gpt-5.4-mini', price: null },
    ]);
    expect(plans.team?.models).toEqual(['far/*']);
    expect(JSON.stringify(providers)).not.toContain('canary');
  });

  test('the configuration accepts the examples of the guide', () => {
    const guide = readFileSync(new URL('../../../docs/gateway.md', import.meta.url), 'utf8');
    const [, section = ''] = guide.split('### The configuration file');
    const [, example = ''] = /```json\n(.+?)```/s.exec(section) ?? [];
    const secret = JSON.stringify(file('canary-of-file')).slice(1, -1);
    const path = file(example.replaceAll(/\/run\/secrets\/\w+/g, () => secret));
    const { providers, plans } = loadConfig(path, { OPENAI_TEAM: 't', PROXY_KEY: 'p', AZURE_KEY: 'a' });
    expect(Object.keys(providers)).toEqual(['openai', 'cellar', 'proxy', 'azure']);
    expect(plans.team?.monthly_spend_usd).toBe('50');
  });

  test('the configuration names the file or variable that cannot be used', () => {
    expect(() => loadConfig('/nowhere/config.json', {})).toThrow(/"\/nowhere\/config.json" cannot be read/);
    expect(() => loadConfig(undefined, { OPENAI_BASE_URL: 'api.openai.com' })).toThrow(/OPENAI_BASE_URL must be/);
  });
});
