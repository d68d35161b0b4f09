import { expect, onTestFinished, test } from 'vitest';
import { errorBody } from '#shared/wire/error.ts';
import { openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { listen } from '../listen.ts';
import { parseOrigins } from './cross-origin.ts';

const page = 'https://app.example.com';

async function open(origins: readonly string[]) {
  const { gateway, key } = await openTestGateway();
  const server = await listen(gateway, { port: 0, origins });
  onTestFinished(() => server.close());
  return (path: string, method: string, headers: Record<string, string>, body?: object) =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
}

const preflight = (origin: string, method = 'POST') => ({
  origin,
  'access-control-request-method': method,
  'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
});
const cors = (response: Response) =>
  Object.fromEntries([...response.headers].filter(([name]) => name.startsWith('access-control-')));

test('a page of a listed origin may call with every header that it asks for, and never with credentials', async () => {
  const ask = await open([page, 'http://localhost:5173']);
  const allowed = await ask('/v1/chat/completions', 'OPTIONS', preflight(page));
  expect([allowed.status, await allowed.text(), allowed.headers.get('vary')]).toEqual([204, '', 'Origin']);
  expect(cors(allowed)).toMatchObject({
    'access-control-allow-origin': page,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'authorization,content-type,x-stainless-lang',
    'access-control-max-age': '600',
  });
  expect(cors(allowed)).not.toHaveProperty('access-control-allow-credentials');
  const keys = await ask('/v1/keys', 'OPTIONS', preflight('http://localhost:5173'));
  expect(keys.headers.get('access-control-allow-methods')).toBe('GET, POST');
});

const question = { provider: 'sandbox', prompt: 'hi' };
test.each([
  ['an answer', '/chat', question, {}],
  ['a stream', '/chat', { ...question, stream: true }, {}],
  ['a refusal', '/chat', {}, {}],
  ['a refusal before anything is read', '/chat', question, { authorization: 'Bearer  two' }],
  ['a list', '/v1/models', undefined, {}],
] as const)('a listed page may read %s with its limits and ids; another may not', async (_what, path, body, more) => {
  const ask = await open([page]);
  const method = body ? 'POST' : 'GET';
  const own = await ask(path, method, { origin: page, ...more }, body);
  expect(own.headers.get('access-control-allow-origin')).toBe(page);
  expect(own.headers.get('access-control-expose-headers')).toMatch(/x-request-id.*x-ratelimit-remaining-requests/);
  const other = await ask(path, method, { origin: 'https://other.example', ...more }, body);
  const varies = body ? 'Origin' : 'Origin, Accept-Encoding';
  expect([other.status, cors(other), other.headers.get('vary')]).toEqual([own.status, {}, varies]);
  await Promise.all([own.text(), other.text()]);
});

test.each([
  ['another page', [page], 'https://other.example'],
  ['a page of another port', [page], `${page}:8443`],
  ['a page without an origin', [page], 'null'],
  ['any page when the operator lists none', [], page],
])('a preflight of %s is refused with a sentence', async (_whose, origins, origin) => {
  const ask = await open(origins);
  const response = await ask('/v1/chat/completions', 'OPTIONS', preflight(origin));
  const { error } = errorBody.parse(await response.json());
  expect([response.status, error.code, cors(response)]).toEqual([403, 'origin_not_allowed', {}]);
  expect(error.message).toContain(`Pages of "${origin}" may not call this gateway`);
});

test('other requests, and preflights for unknown paths, are not changed', async () => {
  const ask = await open([page]);
  expect((await ask('/chat', 'OPTIONS', { origin: page })).status).toBe(405);
  expect((await ask('/nothing', 'OPTIONS', preflight(page))).status).toBe(404);
});

test.each([
  ['*', /cannot be "\*": list the origins/],
  ['app.example.com', /names "app.example.com", which is no origin/],
  ['https://app.example.com/', /which is no origin/],
  ['file:///x', /which is no origin/],
])('"%s" is refused as a list of origins', (text, sentence) => {
  expect(() => parseOrigins(text, 'PORTICO_CORS_ORIGINS')).toThrow(sentence);
});

test('origins are listed with commas or blanks', () => {
  expect(parseOrigins(' https://a.example, http://localhost:5173\n', 'X')).toEqual([
    'https://a.example',
    'http://localhost:5173',
  ]);
});
