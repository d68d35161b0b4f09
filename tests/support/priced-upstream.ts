import { setTimeout as delay } from 'node:timers/promises';
import { openUpstream, type Reply } from '../gateway-doubles/upstream-server.ts';

/** The token counts that the upstream reports. The gateway's cost follows from them. */
export interface Counted {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;

const finish = ({ promptTokens, completionTokens }: Counted) =>
  `data: ${JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  })}\n\ndata: [DONE]\n\n`;

/**
 * Opens an OpenAI-compatible server that answers each call in three pieces, `pauseMs()` apart. The second piece is
 * `secondWord`. `count` decides the token counts that it reports. Its environment makes a gateway process use it.
 */
export async function openPricedUpstream(
  count: (call: number) => Counted,
  pauseMs: () => number = () => 0,
  secondWord = ' there',
) {
  let calls = 0;
  const reply: Reply = async (_call, response) => {
    calls += 1;
    const counted = count(calls);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of [chunk({ role: 'assistant', content: 'Hello' }), chunk({ content: secondWord })]) {
      response.write(piece);
      const pause = pauseMs();
      if (pause > 0) await delay(pause);
    }
    response.end(finish(counted));
  };
  const upstream = await openUpstream(reply);
  return { ...upstream, reply, env: { OPENAI_API_KEY: 'sk-platform', OPENAI_BASE_URL: `${upstream.origin}/v1` } };
}

/** A priced model of the catalogue that the upstream serves. */
export const pricedModel = 'openai/gpt-4o-mini';
