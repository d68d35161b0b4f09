import type { Quote } from '#shared/contract/chat/quotes.ts';
import { parseUsd } from '#shared/money.ts';
import type { Price } from '#shared/price.ts';
import type { Payer } from '../../gateways/connection/connections.ts';
import { maxCost } from './expected-cost.ts';

/** A shorter answer is of no use to anybody. */
const minTokens = 50;
const limitMs = 3_000;

/** Of a message that the credits don't cover: the longest answer, in tokens, that they do cover by its highest cost. Null: none. */
export async function findAffordableTokens(
  { client }: Pick<Payer, 'client'>,
  price: Price,
  quote: Pick<Quote, 'obstacles' | 'promptTokens' | 'completionTokens' | 'searches'>,
): Promise<number | null> {
  if (!quote.obstacles.some(({ code }) => code === 'insufficient_credits')) return null;
  const available = await readAvailable(client);
  if (available === null) return null;
  const isAffordable = (high: number) => maxCost(price, { ...quote, completionTokens: { low: 0, high } }) <= available;
  let [low, high] = [0, quote.completionTokens.high];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isAffordable(middle)) low = middle;
    else high = middle - 1;
  }
  return low < minTokens ? null : roundDown(low);
}

/** To two digits: what is said is easy to read, and a token more on the way costs no refusal. */
const roundDown = (tokens: number): number => {
  const step = 10 ** Math.max(0, String(tokens).length - 2);
  return Math.floor(tokens / step) * step;
};

async function readAvailable(client: Payer['client']): Promise<bigint | null> {
  try {
    const { balance } = await client.account({ signal: AbortSignal.timeout(limitMs) });
    const available = balance?.available ?? balance?.amount;
    return available === undefined ? null : parseUsd(available);
  } catch {
    // Without a balance there is no offer; the refusal itself stands in the quote.
    return null;
  }
}
