import { Secret } from '../../gateway/access/auth/secret.ts';
import { type BenchOptions, type ChatBench, openChatBench } from './chat-bench.ts';
import { testModel } from './test-models.ts';
import { errorReply, openUpstream, type Reply, streamReply } from './upstream-server.ts';

/** A loopback server that plays all three providers, and gateways in front of it. Close it after each test. */
export async function openThreeProviders() {
  const upstream = await openUpstream(streamReply(''));
  const benches: ChatBench[] = [];
  return {
    upstream,
    async open(options: BenchOptions = {}): Promise<ChatBench> {
      const apiKey = new Secret('platform-key');
      const bench = await openChatBench({
        models: [testModel('openai/gpt-x'), testModel('anthropic/claude-x'), testModel('google/gemini-x')],
        providers: {
          openai: { apiKey, baseUrl: `${upstream.origin}/v1` },
          anthropic: { apiKey, baseUrl: upstream.origin },
          google: { apiKey, baseUrl: upstream.origin },
        },
        ...options,
      });
      benches.push(bench);
      return bench;
    },
    async close() {
      for (const bench of benches) await bench.close();
      await upstream.close();
    },
  };
}

export type ThreeProviders = Awaited<ReturnType<typeof openThreeProviders>>;

/** Answers for each provider, chosen by the path. A provider without a reply fails with 500. */
export const byProvider =
  (replies: { openai?: Reply; anthropic?: Reply; google?: Reply }): Reply =>
  (call, response) => {
    const name = call.path.startsWith('/v1/chat') ? 'openai' : call.path === '/v1/messages' ? 'anthropic' : 'google';
    const reply = replies[name] ?? errorReply(500, {});
    return reply(call, response);
  };
