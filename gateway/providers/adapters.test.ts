import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { recordedResponse } from '../../tests/gateway-doubles/recorded-responses.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import {
  brokenReply,
  eachByte,
  errorReply,
  hangingReply,
  openUpstream,
  streamReply,
  type Upstream,
} from '../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../access/auth/secret.ts';
import { callUpstream } from '../engine/attempt.ts';
import type { CatalogueModel } from '../models/catalogue/catalogue.ts';
import { createAnthropic } from './anthropic/anthropic.ts';
import { createGoogle } from './google/google.ts';
import { createOpenAi } from './openai/openai.ts';
import type { Provider, ProviderEvent, ProviderRequest } from './provider.ts';
import { openUpstreamConnections } from './upstream/upstream-connections.ts';
import { platformFetch } from './upstream/upstream-response.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await openUpstream(streamReply(''));
});
afterAll(() => upstream.close());

const canary = 'sk-canary-4f9a1c77d2';
const request: ProviderRequest = {
  model: 'm',
  messages: [{ role: 'user', content: 'hi', name: undefined }],
  maxTokens: 100,
  openaiOnly: {},
  parameters: {},
};

interface Outcome {
  readonly events: readonly ProviderEvent[];
  readonly error: AppError | null;
}

interface RunOptions {
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
  readonly request?: Partial<ProviderRequest>;
  readonly onEvent?: (event: ProviderEvent) => void;
}

/** Calls a provider once, as the engine does. */
const answersInParts = () => {};
const connections = openUpstreamConnections();
afterAll(connections.close);

async function run(provider: Provider, options: RunOptions = {}): Promise<Outcome> {
  const events: ProviderEvent[] = [];
  const credential = { apiKey: new Secret(canary), baseUrl: upstream.origin };
  const target = { provider, credential, model: { id: 'x/m', provider: provider.id } as CatalogueModel };
  const signal = options.signal ?? new AbortController().signal;
  try {
    const context = {
      signal,
      firstEventMs: 5_000,
      silentMs: 60_000,
      fetch: options.fetch ? platformFetch(options.fetch) : connections.fetch,
      nonStreaming: false,
      answersInParts,
      offersCost: () => {},
    };
    await callUpstream(target, { ...request, ...options.request }, context, (together) => {
      events.push(...together);
      for (const event of together) options.onEvent?.(event);
      return undefined;
    });
    return { events, error: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { events, error };
  }
}

/** Creates a fetch that answers with exactly these chunks. */
const chunked =
  (...chunks: Uint8Array[]): typeof fetch =>
  async () =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const chunk of chunks) if (chunk.length) controller.enqueue(chunk);
          controller.close();
        },
      }),
    );

const summary = (events: readonly ProviderEvent[]) => ({
  text: events.map((event) => (event.type === 'text-delta' ? event.text : '')).join(''),
  reasoning: events.map((event) => (event.type === 'reasoning-delta' ? event.text : '')).join(''),
  calls: events.flatMap((event) => (event.type === 'tool-call-start' ? [event.name] : [])),
  arguments: [0, 1].map((index) =>
    events.map((event) => (event.type === 'tool-call-delta' && event.index === index ? event.arguments : '')).join(''),
  ),
  usage: events.findLast((event) => event.type === 'usage')?.usage,
  finish: events.flatMap((event) => (event.type === 'finish' ? [event.reason] : [])),
});

/** The provider, called through OpenAI's Responses API. */
function byResponses(provider: Provider): Provider {
  return { ...provider, chat: (given, context, take) => provider.chat({ ...given, api: 'responses' }, context, take) };
}

const adapters = [
  { name: 'openai', provider: createOpenAi(), stream: recordedStreams.openai, reasoning: '', cacheWrite: 0, inner: 4 },
  {
    name: "OpenAI's Responses API",
    provider: byResponses(createOpenAi()),
    stream: recordedResponse,
    maxEvent: 8_388_608,
    reasoning: 'Hm.',
    cacheWrite: 0,
    inner: 4,
  },
  {
    name: 'anthropic',
    provider: createAnthropic(),
    stream: recordedStreams.anthropic,
    reasoning: 'Hm.',
    cacheWrite: 2,
    inner: 0,
  },
  {
    name: 'google',
    provider: createGoogle(),
    stream: recordedStreams.google,
    reasoning: 'Hm.',
    cacheWrite: 0,
    inner: 4,
  },
];

describe.each(adapters)('$name', ({ provider, stream, reasoning, cacheWrite, inner, maxEvent = 1_048_576 }) => {
  const whole = stream.join('');
  const expected = {
    text: recordedStreams.text,
    reasoning,
    calls: ['one', 'two'],
    arguments: ['{"a":1}', '{}'],
    usage: {
      promptTokens: 20,
      completionTokens: 11,
      cachedTokens: 8,
      cacheWriteTokens: cacheWrite,
      reasoningTokens: inner,
    },
    finish: ['tool_calls'],
  };

  test('the same answer becomes the same events at every provider', async () => {
    upstream.replyWith(streamReply(whole));
    const { events, error } = await run(provider);
    expect(error).toBeNull();
    expect(events[0]).toEqual({ type: 'start' });
    expect(events.at(-1)?.type).toBe('finish');
    expect(summary(events)).toEqual(expected);
  });

  test('a stream is read correctly when each byte comes in its own packet', async () => {
    upstream.replyWith(streamReply(whole, eachByte));
    expect(summary((await run(provider)).events)).toEqual(expected);
  });

  test('a stream is read correctly wherever its bytes are split', async () => {
    const bytes = Buffer.from(whole);
    const { events } = await run(provider, { fetch: chunked(bytes) });
    for (let index = 1; index < bytes.length; index += 1) {
      const split = await run(provider, { fetch: chunked(bytes.subarray(0, index), bytes.subarray(index)) });
      expect(split, `split at byte ${index}`).toEqual({ events, error: null });
    }
  });

  test.each([
    ['CRLF', '\r\n'],
    ['LF', '\n'],
    ['CR', '\r'],
  ])('a stream is read correctly when its lines end with %s', async (_name, eol) => {
    upstream.replyWith(streamReply(whole.replaceAll('\r\n', '\n').replaceAll('\n', eol)));
    expect(summary((await run(provider)).events)).toEqual(expected);
  });

  test('a stream that ends before its final event is never a success', async () => {
    const terminal = stream.findIndex((event) =>
      /"finish_reason":"|message_stop|"finishReason"|response.completed/.test(event),
    );
    for (let kept = 0; kept <= terminal; kept += 1) {
      const cut = await run(provider, { fetch: chunked(Buffer.from(stream.slice(0, kept).join(''))) });
      expect(cut.error?.code, `after ${kept} events`).toBe('upstream_truncated');
      expect(cut.events.map((event) => event.type)).not.toContain('finish');
    }
  });

  test('an answer fails when its connection breaks', async () => {
    upstream.replyWith(brokenReply(stream.slice(0, 3).join('')));
    const { error } = await run(provider);
    expect(error).toMatchObject({ code: 'upstream_truncated', provider: provider.id });
  });

  test('an event that is not JSON is a bad response', async () => {
    upstream.replyWith(streamReply('data: {"broken\n\n'));
    expect((await run(provider)).error?.code).toBe('upstream_bad_response');
  });

  test('an event above the maximum size is refused instead of buffered', async () => {
    upstream.replyWith(streamReply(`data: ${'x'.repeat(maxEvent + 500_000)}`));
    expect((await run(provider)).error?.code).toBe('upstream_bad_response');
  });

  test.each([
    [400, 'upstream_invalid_request'],
    [401, 'upstream_auth_failed'],
    [403, 'upstream_auth_failed'],
    [402, 'no_provider_available'],
    [404, 'upstream_error'],
    [408, 'upstream_timeout'],
    [422, 'upstream_invalid_request'],
    [429, 'upstream_rate_limited'],
    [500, 'upstream_error'],
    [503, 'upstream_overloaded'],
    [529, 'upstream_overloaded'],
  ])('status %i becomes %s after a single call', async (status, code) => {
    upstream.calls.length = 0;
    upstream.replyWith(errorReply(status, { error: { message: `no ${canary} https://a.example/x org-Abc12345` } }));
    const { error } = await run(provider);
    expect(error).toMatchObject({ code, provider: provider.id });
    expect(error?.message).not.toMatch(/canary|a\.example|org-Abc/);
    expect(upstream.calls).toHaveLength(1);
  });

  test("the upstream's retry-after time is passed on", async () => {
    upstream.replyWith(errorReply(429, {}, { 'retry-after': '7' }));
    expect((await run(provider)).error?.retryAfterMs).toBe(7_000);
  });

  test('a redirect is refused, so the key is not sent to another origin', async () => {
    upstream.calls.length = 0;
    upstream.replyWith(errorReply(307, {}, { location: `${upstream.origin}/elsewhere` }));
    expect((await run(provider)).error?.code).toBe('upstream_bad_response');
    expect(upstream.calls).toHaveLength(1);
  });

  test('a call to a port without a server fails as unreachable', async () => {
    const gone = await openUpstream(streamReply(''));
    await gone.close();
    const { error } = await run(provider, { fetch: (_url, init) => fetch(`${gone.origin}/`, init) });
    expect(error?.code).toBe('upstream_unreachable');
  });

  test('an abort closes the connection at once, even while the upstream is silent', async () => {
    upstream.calls.length = 0;
    upstream.replyWith(hangingReply(stream.slice(0, 3).join('')));
    const abort = new AbortController();
    const reason = new AppError('client_closed_request', 'gone');
    const { error } = await run(provider, { signal: abort.signal, onEvent: () => abort.abort(reason) });
    expect(error).toBe(reason);
    await upstream.calls[0]?.closed;
  });

  test('an abort before the headers closes the connection', async () => {
    upstream.calls.length = 0;
    const abort = new AbortController();
    upstream.replyWith(() => abort.abort(new AppError('client_closed_request', 'gone')));
    expect((await run(provider, { signal: abort.signal })).error?.code).toBe('client_closed_request');
    await upstream.calls[0]?.closed;
  });

  test('the key is sent in a header and nowhere else', async () => {
    upstream.calls.length = 0;
    upstream.replyWith(streamReply(whole));
    await run(provider);
    const [call] = upstream.calls;
    expect(JSON.stringify(call?.headers)).toContain(canary);
    expect(call?.path).not.toContain(canary);
    expect(JSON.stringify(call?.body)).not.toContain(canary);
  });

  test('listing the models fails when the key is refused', async () => {
    upstream.replyWith(errorReply(401, {}));
    const context = {
      credential: { apiKey: new Secret(canary), baseUrl: upstream.origin },
      fetch: connections.fetch,
    };
    const listing = provider.models({ ...context, signal: new AbortController().signal });
    await expect(listing).rejects.toMatchObject({ code: 'upstream_auth_failed' });
  });
});

describe('an error in the middle of a stream', () => {
  test.each([
    ['openai', createOpenAi(), 'data: {"error":{"message":"x","type":"server_error"}}\n\n', 'upstream_error'],
    [
      'openai',
      createOpenAi(),
      'data: {"error":{"message":"x","code":"rate_limit_exceeded"}}\n\n',
      'upstream_rate_limited',
    ],
    [
      'anthropic',
      createAnthropic(),
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
      'upstream_overloaded',
    ],
    [
      'google',
      createGoogle(),
      'data: {"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}\n\n',
      'upstream_overloaded',
    ],
  ])('an error in a stream of %s becomes the matching error code', async (name, provider, event, code) => {
    const begun = recordedStreams[name as 'openai' | 'anthropic' | 'google'].slice(0, 3).join('');
    upstream.replyWith(streamReply(begun + event));
    const { error, events } = await run(provider);
    expect(error?.code).toBe(code);
    expect(events.length).toBeGreaterThan(0);
  });
});

describe('known refusals', () => {
  test.each([
    [createOpenAi(), 400, { error: { code: 'context_length_exceeded', message: 'x' } }, 'context_length_exceeded'],
    [
      createAnthropic(),
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' } },
      'context_length_exceeded',
    ],
    [
      createGoogle(),
      400,
      {
        error: {
          code: 400,
          message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).',
          status: 'INVALID_ARGUMENT',
        },
      },
      'context_length_exceeded',
    ],
    [createOpenAi(), 400, { error: { code: 'content_policy_violation', message: 'x' } }, 'content_policy_violation'],
    [createOpenAi(), 429, { error: { code: 'insufficient_quota', message: 'x' } }, 'no_provider_available'],
    [
      createAnthropic(),
      400,
      { error: { type: 'invalid_request_error', message: 'Your credit balance is too low' } },
      'no_provider_available',
    ],
    [
      createGoogle(),
      400,
      { error: { code: 400, message: 'API key not valid.', details: [{ reason: 'API_KEY_INVALID' }] } },
      'upstream_auth_failed',
    ],
  ])('case %#: a known refusal becomes the matching error code', async (provider, status, body, code) => {
    upstream.replyWith(errorReply(status, body));
    expect((await run(provider)).error?.code).toBe(code);
  });
});
