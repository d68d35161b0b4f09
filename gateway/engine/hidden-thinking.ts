import { thinkingBudgets } from '../models/catalogue/thinking-budgets.ts';
import type { Target } from './admit.ts';
import { type HiddenThinking, nothingHidden } from './billing/usage-limits.ts';
import type { Fitted } from './fitting/fit-request.ts';

/** How much a model may think by the effort that it is asked for, where nobody sees it do so. */
export function hiddenThinking({ provider }: Target, { thinks, parameters }: Fitted): HiddenThinking {
  if (!thinks || provider.counts === 'along') return nothingHidden;
  const { reasoning_effort: effort = 'medium' } = parameters;
  return effort === 'none'
    ? nothingHidden
    : { tokens: thinkingBudgets[effort], isShown: provider.showsThinking === true };
}
