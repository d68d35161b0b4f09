import type { Effort } from './model-facts.ts';

/** How many tokens an effort gives a model to think with. OpenAI says no numbers: its efforts are taken for the same. */
export const thinkingBudgets: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1_024,
  low: 4_096,
  medium: 10_000,
  high: 20_000,
  xhigh: 32_000,
  max: 32_000,
};
