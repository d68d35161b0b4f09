import { expect, test } from 'vitest';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedResponse } from '../../tests/gateway-doubles/recorded-responses.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';

/** A server that offers a model of OpenAI's which takes tools by the Responses API only is asked by that API. */

async function open(hasResponses: boolean) {
  const paths: string[] = [];
  const { post } = await openTestGateway({
    plan: 'local',
    providers: {
      near: {
        apiKey: null,
        baseUrl: 'http://127.0.0.1:9/v1',
        server: { name: 'Near', kind: 'openai-compatible', apiVersion: null },
        models: [{ model: 'best', sameAs: 'openai/gpt-5.5', price: null }],
      },
    },
    fetch: async (url: Parameters<typeof fetch>[0], init?: RequestInit) => {
      if (init?.method !== 'POST') return Response.json({ data: [] });
      const path = new URL(String(url)).pathname;
      paths.push(path);
      if (path.endsWith('/responses') && !hasResponses) return Response.json({ detail: 'Not Found' }, { status: 404 });
      const events = path.endsWith('/responses') ? recordedResponse : recordedStreams.openai;
      return new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  const tools = [{ type: 'function', function: { name: 'find', parameters: { type: 'object', properties: {} } } }];
  const ask = async (more: object = { tools }) => {
    const body = { model: 'near/best', stream: true, messages: [{ role: 'user', content: 'Hi' }], ...more };
    return (await post('/v1/chat/completions', body)).text();
  };
  return { ask, paths };
}

test('tools are asked for by the Responses API, and plain chats by chat completions', async () => {
  const { ask, paths } = await open(true);
  expect(await ask()).toMatch(/data: \[DONE\]\n\n$/);
  expect(await ask({})).toMatch(/data: \[DONE\]\n\n$/);
  expect(paths).toEqual(['/v1/responses', '/v1/chat/completions']);
});

test('a server without the Responses API is asked by chat completions from then on', async () => {
  const { ask, paths } = await open(false);
  expect(await ask()).toMatch(/data: \[DONE\]\n\n$/);
  expect(await ask()).toMatch(/data: \[DONE\]\n\n$/);
  expect(paths).toEqual(['/v1/responses', '/v1/chat/completions', '/v1/chat/completions']);
});
