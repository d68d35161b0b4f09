import { describe, expect, test } from 'vitest';
import { Secret } from '#gateway/access/auth/secret.ts';
import type { CompletionChunk, CompletionResponse } from '#shared/wire/chat-response.ts';
import { getEvents } from '../../gateway-doubles/events-of.ts';
import { openTestGateway } from '../../gateway-doubles/open-test-gateway.ts';
import { thoughtThrough, weatherCalls } from '../../gateway-doubles/vendors/tool-loops.ts';
import { openVendorDouble } from '../../gateway-doubles/vendors/vendor-double.ts';
import { aiSdkCompatible, aiSdkOpenai } from './ai-sdk-clients.ts';
import { type ClientKind, type Connection, citySchema } from './client.ts';
import { langchainClient } from './langchain-client.ts';
import { openaiClient } from './openai-client.ts';

/**
 * Tests that models keep their reasoning through a tool loop, whatever part of an answer the client stores. The
 * vendors' doubles sign their reasoning, refuse changed reasoning, and show at the end whether all of it came back.
 */

const models = ['openai/gpt-5', 'anthropic/claude-opus-5-5', 'anthropic/claude-sonnet-5', 'google/gemini-3.8-flash'];
const apiKey = new Secret('platform-key');

async function open() {
  const vendors = openVendorDouble({ loop: () => weatherCalls });
  const { gateway, key } = await openTestGateway({
    plan: 'enterprise',
    fetch: vendors.send,
    providers: {
      openai: { apiKey, baseUrl: 'https://openai.example/v1' },
      anthropic: { apiKey, baseUrl: 'https://anthropic.example' },
      google: { apiKey, baseUrl: 'https://google.example' },
    },
  });
  const connection: Connection = {
    baseUrl: 'http://127.0.0.1/v1',
    key,
    fetch: (input, init) => gateway.fetch(new Request(input, init)),
    sent: () => {},
  };
  return { vendors, connection };
}

type Message = Record<string, unknown>;
type Call = { id: string; function: { name: string; arguments: string } };

/** Runs the loop with `fetch` alone. Of each answer it sends back what `toKept` keeps. */
async function fetchLoop(
  { baseUrl, key, fetch }: Connection,
  model: string,
  streams: boolean,
  toKept: (message: Message) => Message,
  more: object = {},
): Promise<unknown> {
  const tools = [{ type: 'function', function: { name: 'weather', parameters: citySchema } }];
  const messages: Message[] = [{ role: 'user', content: 'Where is it warm?' }];
  for (;;) {
    const answer = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages, tools, stream: streams, ...more }),
    });
    expect(answer.status).toBe(200);
    const message = streams
      ? assemble((await getEvents(answer)).slice(0, -1).map((data): CompletionChunk => JSON.parse(data)))
      : ((await answer.json()) as CompletionResponse).choices[0]?.message;
    const calls = message?.tool_calls as readonly Call[] | undefined;
    if (!message || !calls?.length) return message?.content;
    messages.push(toKept(message));
    for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: 'warm' });
  }
}

/** Assembles a streamed answer as clients do. */
function assemble(chunks: readonly CompletionChunk[]): Message {
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const calls = new Map<number, Call>();
  for (const { index, id, function: fn, ...more } of deltas.flatMap(({ tool_calls }) => tool_calls ?? [])) {
    const before = calls.get(index) ?? { ...more, id: id ?? '', function: { name: fn?.name ?? '', arguments: '' } };
    before.function.arguments += fn?.arguments ?? '';
    calls.set(index, before);
  }
  return {
    role: 'assistant',
    content: deltas.map(({ content }) => content ?? '').join(''),
    reasoning_content: deltas.map(({ reasoning_content: text }) => text ?? '').join(''),
    reasoning_details: deltas.flatMap(({ reasoning_details: details }) => details ?? []),
    ...(calls.size > 0 ? { tool_calls: [...calls.values()] } : {}),
  };
}

const withoutState = (message: Message) =>
  (message.tool_calls as readonly Call[]).map(({ id, function: fn }) => ({ id, type: 'function', function: fn }));
/** Keeps the fields of an answer that OpenAI's own types have. */
const bare = (message: Message) => ({ role: 'assistant', content: message.content, tool_calls: withoutState(message) });
/**
 * Keeps what `@openrouter/ai-sdk-provider` sends back: the pieces of reasoning, each with the
 * fields that the package knows.
 */
const asOpenRouter = (message: Message) => ({
  ...bare(message),
  reasoning: message.reasoning_content,
  reasoning_details: ((message.reasoning_details ?? []) as Message[])
    .reduce<Message[]>((all, { type, text, data, signature, id, format, index }) => {
      const last = all.at(-1);
      if (type !== 'reasoning.text' || last?.type !== type || last.index !== index) {
        all.push({ type, text, data, signature, id, format, index });
      } else {
        last.text = `${last.text ?? ''}${text ?? ''}`;
        last.signature ??= signature;
      }
      return all;
    }, [])
    .map((detail) => Object.fromEntries(Object.entries(detail).filter(([, value]) => value !== undefined))),
});
const asItCame = (message: Message) => message;

const byFetch = (name: string, streams: boolean, toKept: (message: Message) => Message) => ({
  name,
  loop: (connection: Connection, model: string) => fetchLoop(connection, model, streams, toKept),
});
const byClient = (kind: ClientKind) => ({
  name: kind.name,
  loop: (connection: Connection, model: string) =>
    kind.open(connection).toolLoop({ model, prompt: 'Where is it warm?' }, () => 'warm'),
});

const clients = [
  ...[openaiClient, aiSdkCompatible, aiSdkOpenai, langchainClient].map(byClient),
  byFetch('fetch without any of it', false, bare),
  byFetch('fetch without any of it, streamed', true, bare),
  byFetch('OpenRouter-style', false, asOpenRouter),
  byFetch('OpenRouter-style, streamed', true, asOpenRouter),
  byFetch('fetch with all of it', false, asItCame),
  byFetch('fetch with all of it, streamed', true, asItCame),
];

describe.each(clients)('$name', ({ loop }) => {
  test.each(models)('%s keeps its reasoning', async (model) => {
    const { connection, vendors } = await open();
    expect(await loop(connection, model)).toBe(thoughtThrough);
    expect(vendors.calls.map(({ refusal }) => refusal)).toEqual([null, null, null]);
  });
});

test('OpenRouter-style clients send everything back, so the gateway need not store reasoning', async () => {
  const vendors = openVendorDouble({ loop: () => weatherCalls });
  const { gateway, key } = await openTestGateway({
    plan: 'enterprise',
    fetch: vendors.send,
    reasoningMs: 0,
    providers: {
      anthropic: { apiKey, baseUrl: 'https://anthropic.example' },
      google: { apiKey, baseUrl: 'https://google.example' },
    },
  });
  const fetch: typeof globalThis.fetch = (input, init) => gateway.fetch(new Request(input, init));
  const connection = { baseUrl: 'http://127.0.0.1/v1', key, fetch, sent: () => {} };
  for (const model of models.slice(1)) {
    expect(await fetchLoop(connection, model, true, asOpenRouter), model).toBe(thoughtThrough);
    expect(await fetchLoop(connection, model, true, bare), model).not.toBe(thoughtThrough);
  }
});

test('Claude up to 4.5 reasons between calls, for which it requires its signed reasoning', async () => {
  const { connection, vendors } = await open();
  const effort = { reasoning_effort: 'high' };
  expect(await fetchLoop(connection, 'anthropic/claude-haiku-4-5', false, bare, effort)).toBe(thoughtThrough);
  expect(vendors.calls.map(({ body }) => (body.thinking as { type?: string } | undefined)?.type)).toEqual(
    Array.from({ length: 3 }, () => 'enabled'),
  );
});

test('reasoning whose conversation was changed is dropped, and the request still succeeds', async () => {
  const { connection, vendors } = await open();
  let time = 0;
  const fetch: typeof globalThis.fetch = (input, init) => {
    const body = JSON.parse(String(init?.body));
    time += 1;
    body.messages.unshift({ role: 'system', content: `It is ${time} o'clock.` });
    return connection.fetch(input, { ...init, body: JSON.stringify(body) });
  };
  const answer = await fetchLoop({ ...connection, fetch }, 'anthropic/claude-opus-5-5', false, bare);
  expect(answer).toMatch(/^It is warm/);
  expect(vendors.calls.map(({ refusal }) => refusal)).toEqual([null, null, null]);
});

test.each([false, true])(
  "OpenAI's encrypted reasoning comes back over its Responses API, streamed: %s",
  async (streams) => {
    const { connection, vendors } = await open();
    const effort = { reasoning_effort: 'high' };
    expect(await fetchLoop(connection, 'openai/gpt-5.4', streams, bare, effort)).toBe(thoughtThrough);
    expect(vendors.calls.map(({ url, refusal }) => [url.endsWith('/v1/responses'), refusal])).toEqual(
      Array.from({ length: 3 }, () => [true, null]),
    );
  },
);
