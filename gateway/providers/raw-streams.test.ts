import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { AppError } from '#shared/errors.ts';
import {
  openRawAnswers,
  sendAndEnd,
  sendAndReset,
  sendAndWait,
  sendByteByByte,
} from '../../tests/gateway-doubles/raw-answers.ts';
import { recordedResponse } from '../../tests/gateway-doubles/recorded-responses.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import { Secret } from '../access/auth/secret.ts';
import { callUpstream } from '../engine/attempt.ts';
import type { CatalogueModel } from '../models/catalogue/catalogue.ts';
import { createAnthropic } from './anthropic/anthropic.ts';
import { createGoogle } from './google/google.ts';
import { createOpenAi } from './openai/openai.ts';
import { createOpenAiCompatible } from './openai-compatible/openai-compatible.ts';
import type { Provider, ProviderEvent } from './provider.ts';
import { openUpstreamConnections } from './upstream/upstream-connections.ts';

let upstream: Awaited<ReturnType<typeof openRawAnswers>>;
beforeAll(async () => {
  upstream = await openRawAnswers();
});
afterAll(() => upstream.close());
afterEach(() => {
  vi.useRealTimers();
});

const answersInParts = () => {};
const connections = openUpstreamConnections();
afterAll(connections.close);

async function run(provider: Provider, onEvent: () => void = () => {}) {
  const events: ProviderEvent[] = [];
  const target = {
    provider,
    credential: { apiKey: new Secret('platform-key'), baseUrl: upstream.origin },
    model: { id: 'x/m', provider: provider.id } as CatalogueModel,
  };
  const request = {
    model: 'm',
    messages: [{ role: 'user' as const, content: 'hi', name: undefined }],
    maxTokens: 100,
    openaiOnly: {},
    parameters: {},
  };
  try {
    const context = {
      signal: new AbortController().signal,
      firstEventMs: 120_000,
      silentMs: 60_000,
      nonStreaming: false,
      fetch: connections.fetch,
      answersInParts,
      offersCost: () => {},
    };
    await callUpstream(target, request, context, (together) => {
      events.push(...together);
      onEvent();
      return undefined;
    });
    return { events, error: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { events, error };
  }
}

/** Joins the pieces of an answer, and leaves out ids that the gateway made up. */
const summary = (events: readonly ProviderEvent[]) => ({
  text: events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join(''),
  reasoning: events.flatMap((event) => (event.type === 'reasoning-delta' ? [event.text] : [])).join(''),
  calls: events.flatMap((event) => (event.type === 'tool-call-start' ? [[event.name, event.extraContent]] : [])),
  arguments: events.flatMap((event) => (event.type === 'tool-call-delta' ? [event.arguments] : [])).join(''),
  finish: events.flatMap((event) => (event.type === 'finish' ? [event.reason] : [])),
});

const openai = createOpenAi();
const byResponses: Provider = {
  ...openai,
  chat: (given, context, take) => openai.chat({ ...given, api: 'responses' }, context, take),
};
const compatible = createOpenAiCompatible({ id: 'openrouter', name: 'OpenRouter' });
const openrouter = [
  ': OPENROUTER PROCESSING\n\n',
  'data: {"choices":[{"delta":{"reasoning":"Hm.","reasoning_details":[{"type":"reasoning.text","text":"Hm."}]}}]}\n\n',
  'data: {"choices":[{"delta":{"content":"Grüße 👋"}}]}\n\n',
  'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}]}}]}\n\n',
  'data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}\n\n',
  'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"cost":0.1}}\n\n',
  'data: [DONE]\n\n',
];
const adapters = [
  { name: 'openai', provider: openai, stream: recordedStreams.openai.join('') },
  { name: 'openrouter', provider: compatible, stream: openrouter.join('') },
  { name: 'anthropic', provider: createAnthropic(), stream: recordedStreams.anthropic.join('') },
  { name: 'google', provider: createGoogle(), stream: recordedStreams.google.join('') },
  { name: "OpenAI's Responses API", provider: byResponses, stream: recordedResponse.join('') },
];

/**
 * PORTICO_EVERY_BYTE=1 tries every byte, which takes minutes. Without it only every 37th byte is tried, and all bytes
 * around line ends.
 */
const everyByte = process.env.PORTICO_EVERY_BYTE === '1';
const step = everyByte ? 1 : 37;
const which = everyByte ? 'every byte' : 'every 37th byte and each end of an event';
const unix = (stream: string) => stream.replaceAll('\r\n', '\n');

function cuts(bytes: Buffer): number[] {
  const ends = [...bytes.keys()].filter((index) => bytes[index] === 10 && bytes[index - 1] === 10);
  const wanted = new Set(ends.flatMap((end) => [end - 1, end, end + 1]));
  return [...bytes.keys()].filter((index) => index % step === 0 || wanted.has(index));
}

describe.each(adapters)('$name', ({ provider, stream }) => {
  const bytes = Buffer.from(unix(stream));

  async function whole() {
    upstream.playing(sendAndEnd(bytes));
    const { events, error } = await run(provider);
    expect(error).toBeNull();
    return summary(events);
  }

  test(`a stream that is cut off after ${which} fails or gives the complete answer`, {
    timeout: everyByte ? 600_000 : 180_000,
  }, async () => {
    const expected = await whole();
    const outcomes = { complete: 0, truncated: 0 };
    for (const index of cuts(bytes)) {
      upstream.playing(sendAndEnd(bytes.subarray(0, index)));
      const { events, error } = await run(provider);
      const { text, arguments: args } = summary(events);
      expect(expected.text.startsWith(text), `after ${index} bytes`).toBe(true);
      expect(expected.arguments.startsWith(args), `after ${index} bytes`).toBe(true);
      if (error) expect(error.code, `after ${index} bytes`).toBe('upstream_truncated');
      else expect(summary(events), `after ${index} bytes`).toEqual(expected);
      outcomes[error ? 'truncated' : 'complete'] += 1;
    }
    expect(outcomes.truncated).toBeGreaterThan(outcomes.complete);
  });

  test('a stream that is reset in the middle fails or gives the complete answer', async () => {
    const expected = await whole();
    for (const share of [0, 0.2, 0.5, 0.8]) {
      upstream.playing(sendAndReset(bytes.subarray(0, Math.floor(bytes.length * share))));
      const { events, error } = await run(provider);
      if (error) expect(error.code, `after ${share}`).toMatch(/^upstream_(truncated|unreachable)$/);
      else expect(summary(events), `after ${share}`).toEqual(expected);
      if (share <= 0.5) expect(error, `after ${share}`).not.toBeNull();
    }
  });

  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['bare CR', '\r'],
  ])('a stream whose lines end in %s gives the same answer, sent in one piece and byte by byte', async (_name, end) => {
    const expected = await whole();
    const spelled = Buffer.from(unix(stream).replaceAll('\n', end));
    for (const play of [sendAndEnd(spelled), sendByteByByte(spelled)]) {
      upstream.playing(play);
      const { events, error } = await run(provider);
      expect([error, summary(events)]).toEqual([null, expected]);
    }
  });

  test('an event that never ends is refused before it fills the memory', async () => {
    upstream.playing((socket) => {
      sendAndWait(Buffer.from('data: {"x":"'))(socket);
      const more = () => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
      };
      socket.on('drain', more);
      more();
    });
    expect((await run(provider)).error?.code).toBe('upstream_bad_response');
  });

  test('an event that is not JSON is refused', async () => {
    upstream.playing(sendAndEnd(Buffer.from('data: {"oops\n\n')));
    expect((await run(provider)).error?.code).toBe('upstream_bad_response');
  });

  test('an answer ends with a timeout when the upstream sends nothing for a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const begun = unix(stream).split('\n\n').slice(0, 3).join('\n\n');
    upstream.playing(sendAndWait(Buffer.from(`${begun}\n\n`)));
    const { error, events } = await run(provider, () => void vi.advanceTimersByTime(60_000));
    expect(error?.code).toBe('upstream_timeout');
    expect(events.length).toBeGreaterThan(0);
  });
});

describe('an error in the middle of a stream', () => {
  const anthropic = (type: string) =>
    `event: error\ndata: {"type":"error","error":{"type":"${type}","message":"x"}}\n\n`;
  const google = (code: number, status: string) =>
    `data: {"error":{"code":${code},"message":"x","status":"${status}"}}\n\n`;
  const inChunk = (error: object) => `data: ${JSON.stringify({ error })}\n\n`;
  const flat = (error: object) => `data: ${JSON.stringify({ type: 'error', sequence_number: 3, ...error })}\n\n`;
  const failed = (error: object) =>
    `data: ${JSON.stringify({ type: 'response.failed', response: { status: 'failed', error } })}\n\n`;
  const [own, router, claude, gemini, responses] = adapters;

  test.each([
    [own, inChunk({ message: 'x', type: 'server_error' }), 'upstream_error'],
    [own, inChunk({ message: 'x', code: 'rate_limit_exceeded' }), 'upstream_rate_limited'],
    [own, inChunk({ message: 'x', code: 'insufficient_quota' }), 'no_provider_available'],
    [
      own,
      inChunk({ message: 'x', code: 'context_length_exceeded', type: 'invalid_request_error' }),
      'context_length_exceeded',
    ],
    [router, inChunk({ code: 502, message: 'Provider returned error' }), 'upstream_error'],
    [router, inChunk({ code: 429, message: 'x' }), 'upstream_rate_limited'],
    [router, 'data: {"error":"the server had a hiccup"}\n\n', 'upstream_error'],
    [router, 'data: {"choices":[{"delta":{"content":""},"finish_reason":"error"}]}\n\n', 'upstream_error'],
    [claude, anthropic('overloaded_error'), 'upstream_overloaded'],
    [claude, anthropic('api_error'), 'upstream_error'],
    [claude, anthropic('rate_limit_error'), 'upstream_rate_limited'],
    [claude, anthropic('timeout_error'), 'upstream_timeout'],
    [claude, anthropic('authentication_error'), 'upstream_auth_failed'],
    [claude, anthropic('billing_error'), 'no_provider_available'],
    [gemini, google(503, 'UNAVAILABLE'), 'upstream_overloaded'],
    [gemini, google(429, 'RESOURCE_EXHAUSTED'), 'upstream_rate_limited'],
    [gemini, google(500, 'INTERNAL'), 'upstream_error'],
    [gemini, google(504, 'DEADLINE_EXCEEDED'), 'upstream_timeout'],
    [responses, flat({ code: 'rate_limit_exceeded', message: 'x', param: null }), 'upstream_rate_limited'],
    [responses, flat({ code: 'server_error', message: 'x', param: null }), 'upstream_error'],
    [responses, flat({ code: 'context_length_exceeded', message: 'x', param: 'input' }), 'context_length_exceeded'],
    [responses, flat({ error: { type: 'insufficient_quota', code: 'insufficient_quota' } }), 'no_provider_available'],
    [responses, failed({ code: 'server_error', message: 'x' }), 'upstream_error'],
    [responses, failed({ code: 'rate_limit_exceeded', message: 'x' }), 'upstream_rate_limited'],
    [responses, failed({ code: 'invalid_prompt', message: 'flagged' }), 'content_policy_violation'],
    [responses, failed({ code: 'image_too_large', message: 'x' }), 'upstream_invalid_request'],
    [responses, 'data: {"type":"response.incomplete","response":{}}\n\n', 'upstream_bad_response'],
    [responses, 'data: {"type":"response.cancelled"}\n\n', 'upstream_bad_response'],
  ])(
    'case %#: an error in a stream becomes the matching error code, and the text before it is kept',
    async (adapter, event, code) => {
      if (!adapter) throw new Error('there is no such adapter');
      const begun = unix(adapter.stream).split('\n\n').slice(0, 3).join('\n\n');
      upstream.playing(sendAndEnd(Buffer.from(`${begun}\n\n${event}data: {"ignored":true}\n\n`)));
      const { error, events } = await run(adapter.provider);
      expect(error?.code).toBe(code);
      expect(events.length).toBeGreaterThan(0);
    },
  );
});
