import { afterEach, expect, test } from 'vitest';
import { errorReply, openUpstream, type Reply, type Upstream } from '../../tests/gateway-doubles/upstream-server.ts';
import { findLocalServers } from './local-servers.ts';

const servers: Upstream[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const models = { object: 'list', data: [{ id: 'llama3:8b' }, { id: 'qwen3' }] };

/** A fetch without the time limit, which isn't tested here. */
const patient: typeof fetch = (input, { signal: _, ...init } = {}) => fetch(input, init);

/** Opens a server that knows these paths and no others. */
async function serverWith(answers: Readonly<Record<string, unknown>>, otherwise: Reply = errorReply(404, {})) {
  const server = await openUpstream((call, response) => {
    const answer = answers[call.path];
    return (answer === undefined ? otherwise : errorReply(200, answer))(call, response);
  });
  servers.push(server);
  return { server, port: Number(new URL(server.origin).port) };
}

test.each([
  ['ollama', 'Ollama', { '/api/version': { version: '0.14.0' } }],
  ['lmstudio', 'LM Studio', { '/api/v0/models': { object: 'list', data: [{ id: 'qwen3', state: 'loaded' }] } }],
  ['lmstudio', 'LM Studio', { '/api/v0/models': { object: 'list', data: [] }, '/version': { version: '1' } }],
  ['llamacpp', 'llama.cpp', { '/props': { default_generation_settings: {} } }],
  ['vllm', 'vLLM', { '/version': { version: '0.12.0' } }],
  ['openai-compatible', 'OpenAI-compatible server', {}],
])('%s is recognised by its own answers, whatever its port', async (id, name, own) => {
  const { port, server } = await serverWith({ '/v1/models': models, ...own });
  expect(await findLocalServers({ fetch: patient, ports: [port] })).toEqual([
    { id, name, baseUrl: `${server.origin}/v1`, models: ['llama3:8b', 'qwen3'] },
  ]);
});

test('a server is not found when it lists no models, redirects, sends no JSON or does not exist', async () => {
  const { port: page } = await serverWith({}, (_call, response) => void response.end('<html>'));
  const { port: other, server: target } = await serverWith({ '/v1/models': models });
  const { port: redirecting } = await serverWith({}, errorReply(302, {}, { location: `${target.origin}/v1/models` }));
  const { port: gone, server } = await serverWith({});
  await server.close();
  servers.splice(servers.indexOf(server), 1);
  expect(await findLocalServers({ fetch: patient, ports: [page, redirecting, gone] })).toEqual([]);
  expect(target.calls).toEqual([]);
  expect(await findLocalServers({ fetch: patient, ports: [gone, other] })).toHaveLength(1);
});

test('no key and no cookie is sent, and only this machine is called', async () => {
  const { port, server } = await serverWith({ '/v1/models': models });
  await findLocalServers({ fetch: patient, ports: [port] });
  for (const call of server.calls) {
    expect(call.headers).not.toHaveProperty('authorization');
    expect(call.headers).not.toHaveProperty('cookie');
    expect(call.headers.host).toBe(`127.0.0.1:${port}`);
  }
});
