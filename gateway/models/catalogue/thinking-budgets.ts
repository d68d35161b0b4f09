import type { Effort } from './model-facts.ts';

/**
 * Tokens that a model may think with at each effort. OpenAI publishes no numbers, so the same are assumed for its
 * efforts.
 */
export const thinkingBudgets: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1_024,
  low: 4_096,
  medium: 10_000,
  high: 20_000,
  xhigh: 32_000,
  max: 32_000,
};
