import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { requestList } from '#shared/wire/request-record.ts';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../tests/gateway-doubles/recorded-streams.ts';
import { openUpstream, streamReply, type Upstream } from '../../tests/gateway-doubles/upstream-server.ts';
import { figure } from '../../tests/support/figures.ts';
import { Secret } from '../access/auth/secret.ts';

/** Providers report impossible counts: nothing overflows, nothing stays held, and no account pays more than was held. */

let upstream: Upstream;
beforeAll(async () => {
  upstream = await openUpstream(streamReply(''));
});
afterAll(() => upstream.close());

async function opened() {
  const given = { apiKey: new Secret('platform-key'), baseUrl: upstream.origin };
  const atV1 = { ...given, baseUrl: `${upstream.origin}/v1` };
  const gateway = await openTestGateway({
    plan: 'enterprise',
    balance: '1000',
    providers: { openai: atV1, anthropic: given, google: given, openrouter: atV1 },
  });
  const sound = async () => {
    const { checks, sums } = await gateway.gateway.operator.checkLedger();
    expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
    expect(sums).toMatchObject({ running: 0, held_usd: '0' });
  };
  const held = async (body: object) => {
    const quote = (await (await gateway.post('/v1/quote', body)).json()) as { cost_usd: { high: string } };
    return parseUsd(quote.cost_usd.high);
  };
  const last = async () => requestList.parse(await (await gateway.call('/v1/requests?limit=1')).json()).data[0];
  return { ...gateway, sound, held, last };
}

/** Text that is sent in place of a count. */
const lie = fc.constantFrom(
  ...['1000000000000', '9007199254740991', '9007199254740993', '1e308', '1e400', '-5', '-1e15', '0.5', '"12"', 'null'],
  ...['true', '[]', '{}', '0', '3', '123456789012345678901234567890'],
);

const dialects = {
  openai: {
    model: 'openai/gpt-4o-mini',
    usage: (n: readonly string[]) =>
      `"usage":{"prompt_tokens":${n[0]},"completion_tokens":${n[1]},"total_tokens":${n[2]},"prompt_tokens_details":{"cached_tokens":${n[3]},"audio_tokens":${n[4]},"cache_write_tokens":${n[5]}},"completion_tokens_details":{"reasoning_tokens":${n[2]}},"cost":${n[5]}}`,
    stream(n: readonly string[]) {
      return recordedStreams.openai.join('').replace(/"usage":\{.*\}(?=\})/, this.usage(n));
    },
  },
  anthropic: {
    model: 'anthropic/claude-haiku-4-5',
    stream: (n: readonly string[]) =>
      recordedStreams.anthropic
        .join('')
        .replace(
          /"usage":\{"input_tokens"[^}]*\}/,
          `"usage":{"input_tokens":${n[0]},"cache_read_input_tokens":${n[1]},"cache_creation_input_tokens":${n[2]},"cache_creation":{"ephemeral_1h_input_tokens":${n[3]}},"output_tokens":${n[4]}}`,
        )
        .replace(/"usage":\{"output_tokens":11\}/, `"usage":{"output_tokens":${n[5]}}`),
  },
  google: {
    model: 'google/gemini-2.5-flash',
    stream: (n: readonly string[]) =>
      recordedStreams.google
        .join('')
        .replaceAll(
          /"usageMetadata":\{[^}]*\}/g,
          `"usageMetadata":{"promptTokenCount":${n[0]},"candidatesTokenCount":${n[1]},"thoughtsTokenCount":${n[2]},"cachedContentTokenCount":${n[3]},"toolUsePromptTokenCount":${n[4]},"promptTokensDetails":[{"modality":"AUDIO","tokenCount":${n[5]}}]}`,
        ),
  },
} as const;

test('whatever a provider counts, no more than the hold is charged and the ledger stays exact', async () => {
  const { post, sound, held, last, pass } = await opened();
  const dialect = fc.constantFrom(...Object.values(dialects));
  const numbers = fc.array(lie, { minLength: 6, maxLength: 6 });
  const maxTokens = fc.constantFrom(undefined, 1, 50);
  await fc.assert(
    fc.asyncProperty(dialect, numbers, fc.boolean(), maxTokens, async (from, counts, stream, max) => {
      pass(1_000);
      upstream.replyWith(streamReply(from.stream(counts)));
      const messages = [{ role: 'user', content: 'hello' }];
      const body = { model: from.model, messages, ...(max ? { max_tokens: max } : {}) };
      const most = await held(body);
      const response = await post('/v1/chat/completions', { ...body, stream });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('"finish_reason"');
      const record = await last();
      // A possible count is charged as it is. The question is so short that this is three tokens of each kind at most.
      const small = counts.every((count) => !/\d{5}|e/.test(count));
      const slack = small ? 1_000_000n : 50_000n;
      expect(parseUsd(record?.cost_usd ?? '0')).toBeLessThanOrEqual(most + slack);
    }),
    { numRuns: 60 },
  );
  await sound();
  figure(
    'numbers of upstreams',
    '60 answers with numbers that cannot be, of three vendors: never more than held, books exact',
  );
});

test.each(Object.entries(dialects))(
  'a count of a trillion tokens is replaced by what was held, with a warning: %s',
  async (_name, from) => {
    const { post, sound, held, last, entries } = await opened();
    upstream.replyWith(streamReply(from.stream(Array(6).fill('1000000000000'))));
    const body = { model: from.model, messages: [{ role: 'user', content: 'hello' }], max_tokens: 100 };
    const answer = (await (await post('/v1/chat/completions', body)).json()) as {
      usage: Record<string, unknown>;
      warnings: { code: string }[];
    };
    expect(answer.warnings.map(({ code }) => code)).toContain('usage_clamped');
    expect(answer.usage).toMatchObject({ completion_tokens: 100, estimated: true });
    const record = await last();
    expect(record).toMatchObject({ status: 'succeeded', estimated: true, completion_tokens: 100 });
    expect(parseUsd(record?.cost_usd ?? '0')).toBeLessThanOrEqual(await held(body));
    expect(entries.filter(({ event }) => event === 'usage_clamped')).toMatchObject([
      {
        level: 'warn',
        request_id: record?.id,
        reported: { completionTokens: expect.any(Number) },
        booked: { completionTokens: 100 },
      },
    ]);
    await sound();
  },
);

test.each([10_000, 200_000])(
  'a count above the estimate that is still possible is charged as it is: %d characters',
  async (length) => {
    const { post, sound, last } = await opened();
    const counts = [String(length), '5', String(length + 5), '0', '0', '0'];
    upstream.replyWith(streamReply(dialects.openai.stream(counts)));
    const body = { model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: '漢'.repeat(length) }] };
    expect((await post('/v1/chat/completions', body)).status).toBe(200);
    expect(await last()).toMatchObject({ prompt_tokens: length, estimated: false });
    await sound();
  },
);

test('a token rate limit is not used up by an impossible count', async () => {
  const { post, gateway } = await opened();
  const account = await gateway.operator.createAccount({ name: 'Limited', plan: 'pro' });
  await gateway.operator.grant({ accountId: account.id, amount: parseUsd('10') });
  const { key } = await gateway.operator.createKey({ accountId: account.id, label: 'limited' });
  upstream.replyWith(streamReply(dialects.openai.stream(Array(6).fill('1000000000000'))));
  const body = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] };
  const ask = () => post('/v1/chat/completions', body, { headers: { authorization: `Bearer ${key}` } });
  for (let time = 0; time < 3; time += 1) expect((await ask()).status).toBe(200);
});

test('a provider’s reported cost is charged when it is possible, else the hold', async () => {
  const { post, sound, last } = await opened();
  const named = (cost: string) => recordedStreams.openai.join('').replace(/"usage":\{/, `"usage":{"cost":${cost},`);
  const body = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }], max_tokens: 100 };
  const costs: string[] = [];
  for (const cost of ['0.00001', '1e30', '1e308', '900']) {
    upstream.replyWith(streamReply(named(cost)));
    expect((await post('/v1/chat/completions', body)).status).toBe(200);
    costs.push((await last())?.cost_usd ?? '');
  }
  const [honest, ...lies] = costs;
  expect(honest).toBe('0.00001');
  // Six input tokens at $0.15 a million and a hundred output tokens at $0.60.
  for (const charged of lies) expect(parseUsd(charged)).toBeLessThanOrEqual(6n * 150n + 100n * 600n);
  await sound();
});
