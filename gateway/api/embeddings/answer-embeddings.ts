import { formatUsd } from '#shared/money.ts';
import type { EmbeddingsResponse } from '#shared/wire/embeddings.ts';
import { routeSummary } from '../../engine/routing/resolve.ts';
import type { HttpExchange } from '../../http/exchange.ts';
import type { AdmittedContext, ExchangeHandler } from '../../http/request-context.ts';
import { jsonType, routeHeaders, warningHeaders } from '../chat/stream-writer.ts';
import { type AdmittedEmbeddings, admitEmbeddings } from './admit-embeddings.ts';
import { type EmbedDeps, type Embedded, embed } from './embed.ts';
import { type EmbeddingCall, readEmbeddingCall } from './read-call.ts';

/** Answers `POST /v1/embeddings`. */
export const embeddingsHandler =
  (deps: EmbedDeps): ExchangeHandler =>
  async (context, exchange) => {
    const call = await readEmbeddingCall(context, exchange);
    const allowed = admitEmbeddings(call, deps);
    const { rateLimitLease, memoryLease } = context;
    memoryLease.grow(answerBytes(call, allowed));
    if (call.byoKey === null) await rateLimitLease?.reserveTokens({ input: call.extent.inputTokens, output: 0 });
    rateLimitLease?.handOver();
    let tokens = 0;
    try {
      const task = embed(call, allowed, exchange.client, deps, (used) => {
        tokens = used;
      });
      send(context, exchange, call, await deps.running.track(task));
    } finally {
      memoryLease.release();
      await rateLimitLease?.release(tokens);
    }
  };

/** About how many bytes of memory a number takes in an answer. */
const bytesPerNumber = { base64: 16 / 3, float: 20 };

/** Returns the memory that an answer will take, which counts towards the gateway's memory limit. */
const answerBytes = ({ inputs, dimensions, format }: EmbeddingCall, { facts }: AdmittedEmbeddings): number =>
  Math.ceil(inputs.length * (dimensions ?? facts.dimensions ?? 0) * bytesPerNumber[format]);

function send(context: AdmittedContext, exchange: HttpExchange, call: EmbeddingCall, embedded: Embedded): void {
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
  context.send(exchange, 200, headers, `{"object":"list","data":${data},${JSON.stringify(rest).slice(1)}`);
}
