import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Secret } from '../../../gateway/access/auth/secret.ts';
import { type Listening, listen } from '../../../gateway/http/listen.ts';
import { type ChatBench, openChatBench } from '../../gateway-doubles/chat-bench.ts';
import { testModel } from '../../gateway-doubles/test-models.ts';
import { hangingReply, openUpstream, type Upstream } from '../../gateway-doubles/upstream-server.ts';
import { aiSdkCompatible, aiSdkOpenai } from './ai-sdk-clients.ts';
import { curlClient } from './curl-client.ts';
import { langchainClient } from './langchain-client.ts';
import { openaiClient } from './openai-client.ts';

/** Uses a gateway with a timeout of one second, where the real one waits for two minutes. */
const hasCurl = spawnSync('curl', ['--version']).status === 0;
const kinds = [openaiClient, aiSdkCompatible, aiSdkOpenai, langchainClient, ...(hasCurl ? [curlClient] : [])];
let upstream: Upstream;
let bench: ChatBench;
let listening: Listening;

beforeAll(async () => {
  upstream = await openUpstream(hangingReply(''));
  bench = await openChatBench({
    models: kinds.map((_kind, index) => testModel(`openai/gpt-${index}`)),
    providers: { openai: { apiKey: new Secret('platform-key'), baseUrl: `${upstream.origin}/v1` } },
    timeouts: { firstEventMs: 1_000, attemptMs: 1_000 },
  });
  listening = await listen(
    { fetch: async () => new Response(null, { status: 404 }), answerChat: bench.answerChat },
    { port: 0 },
  );
});
afterAll(async () => {
  await listening.close();
  await bench.close();
  await upstream.close();
});

test.concurrent.each(kinds)(
  '504 upstream_timeout: $name sends a request as often as its table lists',
  { timeout: 240_000 },
  async (kind) => {
    let sent = 0;
    const client = kind.open({
      baseUrl: `${listening.url}/v1`,
      key: 'none-is-asked-for',
      fetch: (input, init) => {
        sent += 1;
        return fetch(input, init);
      },
      sent: () => {
        sent += 1;
      },
    });
    const name = `gpt-${kinds.indexOf(kind)}`;
    const failure = await client.chat({ model: `openai/${name}`, prompt: 'hello' }).then(
      () => null,
      (error: unknown) => kind.failure(error),
    );
    expect(failure).toMatchObject({ status: 504, code: 'upstream_timeout' });
    expect(sent).toBe(kind.asks(504));
    // Each request of the client is one upstream call. The gateway itself never retries, because the upstream
    // may have worked and billed.
    expect(upstream.calls.filter(({ body }) => body.model === name)).toHaveLength(kind.asks(504));
  },
);
