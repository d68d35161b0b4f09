import type { ProviderRequest } from '../provider.ts';
import { thinkingOf } from './thinking-state.ts';

type Effort = NonNullable<ProviderRequest['parameters']['reasoning_effort']>;

/** What a request says about thinking. Empty where it is off. */
export interface Thinking {
  readonly thinking?: object;
  readonly output_config?: object;
}

/** Models up to Claude 4.5 take a budget in tokens; from 4.6 on the model decides, guided by an effort. */
const budgeted = /claude-(3|(opus|sonnet|haiku)-4(-[015])?(-\d{8})?$)/;

const budgets: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1_024,
  low: 4_096,
  medium: 10_000,
  high: 20_000,
  xhigh: 32_000,
};
const efforts: Readonly<Record<Exclude<Effort, 'none'>, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
};

/**
 * Translates `reasoning_effort`. Off where the last assistant turn called tools and its signed thinking did not come
 * back with them: Anthropic refuses such a conversation while thinking is on.
 */
export function thinkingFor(request: ProviderRequest, maxTokens: number): Thinking {
  const effort = request.parameters.reasoning_effort;
  if (!effort || effort === 'none' || lostThinking(request)) return {};
  if (!budgeted.test(request.model)) {
    return {
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: efforts[effort] },
    };
  }
  const budget = Math.min(budgets[effort], maxTokens - 1);
  return budget < smallestBudget ? {} : { thinking: { type: 'enabled', budget_tokens: budget } };
}

const smallestBudget = 1_024;

function lostThinking({ messages }: ProviderRequest): boolean {
  if (messages.at(-1)?.role !== 'tool') return false;
  const last = messages.findLast((message) => message.role === 'assistant');
  return last?.role === 'assistant' && thinkingOf(last.tool_calls ?? []).length === 0;
}
