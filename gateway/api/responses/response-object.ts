import { formatUsd } from '#shared/money.ts';
import type { ResponsesAnswer } from '#shared/wire/responses-answer.ts';
import type { AnswerIdentity } from '../chat/prompt-writer.ts';
import type { Echo } from '../chat/read-question.ts';
import type { FinishPart, RoutePart } from '../chat/stream-writer.ts';
import type { OutputItem } from './open-items.ts';
import { ownName } from './own-names.ts';

/** A response that is not complete: what is known of it before its end. */
export function begunResponse(
  { id, created }: AnswerIdentity,
  route: Pick<RoutePart, 'model' | 'provider'> | null,
  echo: Echo | null,
) {
  const { keeps: _, ...short } = echo?.short ?? {};
  return {
    id,
    object: 'response' as const,
    created_at: created,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_tool_calls: null,
    model: route?.model ?? '',
    provider: route?.provider ?? null,
    output: [] as OutputItem[],
    previous_response_id: null,
    service_tier: null,
    store: false,
    tools: [],
    truncation: 'disabled',
    usage: null,
    ...echo?.long,
    ...short,
  };
}

const incompleteFor: Partial<Record<FinishPart['reason'], string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

/** A finished response. `completedAt`: Unix seconds. */
export function finishedResponse(
  begun: ReturnType<typeof begunResponse>,
  output: readonly OutputItem[],
  finish: FinishPart,
): ResponsesAnswer {
  const reason = incompleteFor[finish.reason];
  return {
    ...begun,
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output: [...output],
    service_tier: finish.served?.serviceTier ?? null,
    usage: getUsage(finish),
    byok: finish.byok,
    routing: finish.routing,
    warnings: finish.warnings.map((warning) => ({ ...warning, param: ownName(warning.param) })),
  };
}

/** Whether an answer that ended so is all of it. */
export const isComplete = ({ reason }: FinishPart): boolean => incompleteFor[reason] === undefined;

const getUsage = ({ usage, cost, upstreamCost, estimated }: FinishPart): NonNullable<ResponsesAnswer['usage']> => ({
  input_tokens: usage.promptTokens,
  input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: usage.cacheWriteTokens },
  output_tokens: usage.completionTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  total_tokens: usage.promptTokens + usage.completionTokens,
  cost_usd: formatUsd(cost),
  upstream_cost_usd: formatUsd(upstreamCost),
  estimated,
});
