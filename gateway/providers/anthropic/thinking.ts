import type { Thinking as Rule } from '../../models/catalogue/model-facts.ts';
import { thinkingBudgets } from '../../models/catalogue/thinking-budgets.ts';
import type { ProviderRequest } from '../provider.ts';

type Effort = NonNullable<ProviderRequest['parameters']['reasoning_effort']>;

/** The fields of a request that control thinking. */
export interface Thinking {
  readonly thinking?: object;
  readonly output_config?: object;
  /** True if the model thinks, or may do so. Its earlier thinking is then sent back. */
  readonly active: boolean;
}

/** The rule for a model without facts: adaptive thinking, as the newest models have it. */
const unknown: Rule = { by: 'adaptive', byDefault: false };

/**
 * The beta header that `block_binding` needs (https://platform.claude.com/docs/en/build-with-claude/preserved-thinking,
 * read 2026-11-22).
 */
const bindingBeta = 'thinking-binding-controls-2026-08-01';

export const isBound = ({ facts }: Pick<ProviderRequest, 'facts'>): boolean =>
  facts?.thinking.by === 'adaptive' && facts.thinking.bound === true;

/**
 * Headers for a model whose thinking is bound to its conversation. Anthropic accepts `block_binding` only with them.
 */
export const bindingHeaders = (request: Pick<ProviderRequest, 'facts'>): Record<string, string> =>
  isBound(request) ? { 'anthropic-beta': bindingBeta } : {};

/**
 * A model with bound thinking refuses a request if the conversation before the thinking was changed, by the client or
 * because part of it was not stored. With this setting it drops such thinking instead.
 */
export const dropsUnbound = (thinking: object | undefined): object => ({
  ...(thinking ?? { type: 'adaptive' }),
  block_binding: { prefix_mismatch_behavior: 'drop_block' },
});

/** Translates `reasoning_effort`, which was already fitted to the levels that the model supports. */
export function thinkingFor({ facts, parameters }: ProviderRequest, maxTokens: number): Thinking {
  const rule = facts?.thinking ?? unknown;
  const { reasoning_effort: effort } = parameters;
  if (rule.by === 'budget_tokens') return byBudget(rule, effort, maxTokens);
  const byDefault = rule.by === 'adaptive' && rule.byDefault;
  if (effort === undefined) return { active: byDefault };
  if (effort === 'none') return { ...(byDefault ? { thinking: { type: 'disabled' } } : {}), active: false };
  return {
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: effort === 'minimal' ? 'low' : effort },
    active: true,
  };
}

function byBudget(
  rule: Extract<Rule, { by: 'budget_tokens' }>,
  effort: Effort | undefined,
  maxTokens: number,
): Thinking {
  const budget = effort && effort !== 'none' ? Math.min(thinkingBudgets[effort], rule.max, maxTokens - 1) : 0;
  return budget < rule.min ? { active: false } : { thinking: { type: 'enabled', budget_tokens: budget }, active: true };
}
