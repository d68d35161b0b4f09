import type { Warning } from '#shared/wire/chat-response.ts';
import type { Bill } from './bill.ts';
import type { Outcome } from './run.ts';

/** What is to be said of an answer once it is billed. */
export const billWarnings = (outcome: Outcome, bill: Bill): Warning[] => [
  ...creditWarning(outcome),
  ...usageWarning(bill),
];

function usageWarning({ unbelieved }: Bill): Warning[] {
  if (!unbelieved) return [];
  const message =
    'The provider reported more than this request can have used. What was set aside for it is the most that is charged.';
  return [{ code: 'usage_clamped', param: null, message }];
}

function creditWarning(outcome: Outcome): Warning[] {
  if (outcome.kind !== 'out_of_credit') return [];
  const message = 'The balance or a spending limit did not cover a longer answer, so it ends here.';
  return [{ code: 'stopped_by_credit', param: null, message }];
}
