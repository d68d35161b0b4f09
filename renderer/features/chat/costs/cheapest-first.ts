import type { OtherPrice } from '#shared/contract/chat/quotes.ts';
import { parseUsd } from '#shared/money.ts';

/** Models by what an answer would cost with them. Those without a price come last, in the order they had. */
export function cheapestFirst<Choice extends { readonly id: string }>(
  choices: readonly Choice[],
  prices: ReadonlyMap<string, Pick<OtherPrice, 'costUsd'>>,
): Choice[] {
  const costs = new Map(choices.map(({ id }) => [id, prices.get(id)?.costUsd ?? null]));
  return choices.toSorted((a, b) => {
    const [one, other] = [costs.get(a.id) ?? null, costs.get(b.id) ?? null];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    const more = parseUsd(one) - parseUsd(other);
    return more < 0n ? -1 : Number(more > 0n);
  });
}
