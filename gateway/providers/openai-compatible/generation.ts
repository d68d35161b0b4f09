import { generationTokens } from '#shared/client/reading/generation-tokens.ts';
import { asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { nanoUsd } from '#shared/money.ts';
import type { StopSignal } from '../../runtime/concurrency/stop-signal.ts';
import type { AskBill, Bill } from '../provider.ts';
import { readJson, upstreamFetch } from '../upstream/upstream-fetch.ts';
import { toNano } from './completion-chunks.ts';

type UpstreamCall = Omit<Parameters<typeof upstreamFetch>[0], 'signal'>;

/** No id of any server is as long. */
const maxId = 256;

/**
 * OpenRouter's record of an answer (`GET /generation`: https://openrouter.ai/docs/api/api-reference/generations/get-generation),
 * there some seconds after its end. `call`: with the address of the server's API. `getId`: the id that it gave its answer.
 */
export const getGeneration =
  (call: UpstreamCall, getId: () => string | null): AskBill =>
  async (signal: StopSignal) => {
    const id = getId();
    if (id === null || id.length > maxId) return null;
    const url = `${call.url}/generation?id=${encodeURIComponent(id)}`;
    const answer = await readJson(await upstreamFetch({ ...call, url, signal }), call.provider);
    return billIn(asObject(asObject(answer).data), id);
  };

function billIn(fields: JsonObject, id: string): Bill | null {
  const tokens = generationTokens(fields);
  const cost = costIn(fields);
  if (asText(fields.id) !== id || tokens === null || cost === null) return null;
  const { imageTokens, ...usage } = { ...tokens, cacheWriteTokens: 0 };
  return { type: 'usage', usage: imageTokens ? { ...usage, imageTokens } : usage, cost };
}

/** In USD, with what a key of one's own there is billed by the provider behind it. */
function costIn(fields: JsonObject): Bill['cost'] | null {
  const cost = toNano(fields.total_cost);
  if (cost === null || fields.is_byok !== true) return cost;
  const behind = toNano(fields.upstream_inference_cost);
  return behind === null ? null : nanoUsd(cost + behind);
}
