import { asObject, asText, isObject, type JsonObject } from '#shared/json/foreign-json.ts';
import type { Warning } from '#shared/wire/chat-response.ts';

/**
 * Fields that OpenRouter's clients send with a chat completion, in the form that this gateway has for them
 * (https://openrouter.ai/docs/guides/best-practices/reasoning-tokens). Other fields of theirs are reported as unknown.
 */
interface OpenRouterFields {
  readonly body: JsonObject;
  readonly warnings: readonly Warning[];
  /** Whether a stream ends with its usage. */
  readonly includesUsage: boolean;
}

/** Returns the body itself if it has none of these fields. */
export function withOpenRouterFields(body: JsonObject): OpenRouterFields {
  const { reasoning, usage, ...rest } = body;
  if (!isObject(reasoning) && !isObject(usage)) return { body, warnings: [], includesUsage: false };
  const effort = isObject(reasoning) ? getEffort(reasoning) : null;
  const given = asText(body.reasoning_effort);
  const isBudget = effort !== null && isObject(reasoning) && typeof reasoning.max_tokens === 'number' && given === null;
  return {
    body: {
      ...rest,
      ...(isObject(reasoning) ? {} : { reasoning }),
      ...(isObject(usage) ? {} : { usage }),
      ...(effort === null || given !== null ? {} : { reasoning_effort: effort }),
    },
    warnings: [
      ...(isBudget ? [budgetAsEffort('reasoning.max_tokens', effort)] : []),
      ...(asObject(reasoning).exclude === true ? [alwaysSent] : []),
    ],
    includesUsage: asObject(usage).include === true,
  };
}

function getEffort({ effort, max_tokens: budget, enabled }: JsonObject): string | null {
  if (enabled === false) return 'none';
  if (typeof effort === 'string') return effort;
  if (typeof budget === 'number') return effortForBudget(budget);
  return enabled === true ? 'medium' : null;
}

const alwaysSent: Warning = {
  code: 'parameter_dropped',
  param: 'reasoning.exclude',
  message: '"reasoning.exclude" is not supported here: reasoning is sent apart from the answer, so leave it unread.',
};

/**
 * The smallest budget for each effort, by the budgets that Anthropic's models get for these efforts
 * (`providers/anthropic/thinking.ts`).
 */
const budgets = [
  { min: 32_000, effort: 'xhigh' },
  { min: 20_000, effort: 'high' },
  { min: 10_000, effort: 'medium' },
  { min: 4_096, effort: 'low' },
  { min: 0, effort: 'minimal' },
] as const;

/** Returns the effort for a budget of thinking in tokens, because every provider supports efforts. */
export const effortForBudget = (tokens: number): string =>
  budgets.find(({ min }) => tokens >= min)?.effort ?? 'minimal';

export const budgetAsEffort = (param: string, effort: string): Warning => ({
  code: 'budget_as_effort',
  param: param.split('.')[0] ?? param,
  message: `"${param}" is an effort here; "${effort}" was used.`,
});
