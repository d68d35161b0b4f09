import { formatUsd } from '#shared/money.ts';
import type { EmbeddingsResponse } from '#shared/wire/embeddings.ts';
import { routeSummary } from '../../engine/routing/resolve.ts';
import type { Admitted, ExchangeHandler } from '../../http/answer-exchange.ts';
import { jsonType, routeHeaders, warningHeaders } from '../chat/chat-headers.ts';
import { type AdmittedEmbeddings, admitEmbeddings } from './admit-embeddings.ts';
import { type EmbedDeps, type Embedded, embed } from './embed.ts';
import { type EmbeddingCall, readEmbeddingCall } from './read-call.ts';

/** Answers `POST /v1/embeddings`. */
export const embeddingsHandler =
  (deps: EmbedDeps): ExchangeHandler =>
  async (admitted) => {
    const call = await readEmbeddingCall(admitted);
    const allowed = admitEmbeddings(call, deps);
    const { pass, place } = admitted;
    place.grow(answerBytes(call, allowed));
    if (call.byoKey === null) await pass?.reserveTokens({ input: call.extent.inputTokens, output: 0 });
    pass?.run();
    let tokens = 0;
    try {
      const task = embed(call, allowed, admitted.request.client, deps, (used) => {
        tokens = used;
      });
      send(admitted, call, await deps.running.track(task));
    } finally {
      place.leave();
      await pass?.leave(tokens);
    }
  };

/** About how many bytes of memory a number takes in an answer. */
const bytesPerNumber = { base64: 16 / 3, float: 20 };

/** Returns the memory that an answer will take, which counts towards the gateway's memory limit. */
const answerBytes = ({ inputs, dimensions, format }: EmbeddingCall, { facts }: AdmittedEmbeddings): number =>
  Math.ceil(inputs.length * (dimensions ?? facts.dimensions ?? 0) * bytesPerNumber[format]);

function send(admitted: Admitted, call: EmbeddingCall, embedded: Embedded): void {
  const { target, data, usage, cost, estimated, routing, warnings } = embedded;
  const { provider, model } = target.model;
  const rest: Omit<EmbeddingsResponse, 'object' | 'data'> = {
    model,
    provider,
    usage: { prompt_tokens: usage.promptTokens, total_tokens: usage.promptTokens, estimated },
    cost_usd: formatUsd(cost),
    byok: call.byoKey !== null,
    routing,
    warnings: [...warnings],
  };
  const summary = routeSummary({ kind: 'direct' }, target.model);
  const headers = {
    'content-type': jsonType,
    ...routeHeaders({ type: 'route', provider, model, attempts: routing.attempts.length, summary }),
    ...warningHeaders(warnings),
  };
  // The vectors are JSON already, so they are inserted without parsing them.
  admitted.send(200, headers, `{"object":"list","data":${data},${JSON.stringify(rest).slice(1)}`);
}
