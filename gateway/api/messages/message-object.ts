import { formatUsd } from '#shared/money.ts';
import type { MessagesAnswer } from '#shared/wire/messages-answer.ts';
import type { AnswerIdentity } from '../chat/prompt-writer.ts';
import type { FinishPart, RoutePart } from '../chat/stream-writer.ts';
import type { MessageBlocks } from './message-blocks.ts';

/** A message of which nothing was said yet. Its input is counted at its end. */
export const begunMessage = ({ id }: AnswerIdentity, { model, provider }: RoutePart) => ({
  id,
  type: 'message' as const,
  role: 'assistant' as const,
  model,
  provider,
  content: [] as MessagesAnswer['content'],
  container: null,
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
});

/** Fields of a finished message beside its content. */
export function messageEnd(finish: FinishPart, { refused }: Pick<MessageBlocks, 'refused'>) {
  const { reason, usage, cost, upstreamCost, estimated, byok, routing, warnings } = finish;
  const { promptTokens, cachedTokens, cacheWriteTokens, cacheWriteHourTokens = 0 } = usage;
  return {
    stop_reason: refused && reason === 'stop' ? 'refusal' : stopReasons[reason],
    usage: {
      // Anthropic counts what comes from its cache, or goes there, apart (wire contract §1.7).
      input_tokens: Math.max(0, promptTokens - cachedTokens - cacheWriteTokens),
      cache_creation_input_tokens: cacheWriteTokens,
      cache_read_input_tokens: cachedTokens,
      cache_creation: {
        ephemeral_5m_input_tokens: cacheWriteTokens - cacheWriteHourTokens,
        ephemeral_1h_input_tokens: cacheWriteHourTokens,
      },
      output_tokens: usage.completionTokens,
      output_tokens_details: { thinking_tokens: usage.reasoningTokens },
      cost_usd: formatUsd(cost),
      upstream_cost_usd: formatUsd(upstreamCost),
      estimated,
    },
    byok,
    routing,
    warnings: [...warnings],
  };
}

/** No upstream says which of the stop sequences it met: an answer that one ended is ended like any other. */
const stopReasons: Readonly<Record<FinishPart['reason'], string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};
