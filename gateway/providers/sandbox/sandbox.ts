import { workerPool } from '../../runtime/threads/worker-pool.ts';
import { estimateInputTokens } from '../content/estimate-tokens.ts';
import { getShare } from '../packed-request.ts';
import type { Provider } from '../provider.ts';
import { play } from './player.ts';
import { sandboxModels } from './sandbox-models.ts';
import { sandboxVectors } from './sandbox-vectors.ts';
import { scriptTask } from './script-task.ts';
import { scriptFor } from './scripts.ts';

/**
 * A provider without a network: made-up answers, streamed at a realistic pace, so that chat, router, ledger and limits
 * can be seen alive with no key. The same request always gets the same answer. `pace` multiplies its pauses.
 */
export function createSandbox(options: { readonly pace: number }): Provider {
  return {
    id: 'sandbox',
    name: 'Sandbox',
    async chat(request, { signal }, take) {
      const speed = sandboxModels.find((entry) => entry.model === request.model)?.speed ?? defaultSpeed;
      const { packed, messages, parameters } = request;
      const script = packed ? await workerPool.run(scriptTask, { request }, [], getShare(packed)) : scriptFor(request);
      const promptTokens = packed ? packed.inputTokens : estimateInputTokens(messages, parameters.tools);
      for await (const event of play(script, promptTokens, { ...speed, pace: options.pace }, signal)) {
        await take([event]);
      }
    },
    embed: async (request) => sandboxVectors(request),
    async models() {
      return sandboxModels.map(({ model, created, contextLength }) => ({ model, created, contextLength }));
    },
  };
}

const defaultSpeed = { firstTokenMs: 300, tokensPerSecond: 90 };
