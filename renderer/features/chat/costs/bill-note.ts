import type { BillKind } from '#shared/contract/common/bills.ts';
import { costsText as text } from '../../../text/costs-text.ts';

/** Returns the note of a cost line: how many tokens or searches it counts. */
export function billNote(kind: BillKind, count: number | null): { note?: string } {
  if (count === null) return {};
  return { note: kind === 'web_search' ? text.searches(count) : text.tokens(count) };
}
