import { z } from 'zod';
import { type PicoUsd, picoUsd } from '#shared/money.ts';
import type { Price, Rates } from '#shared/price.ts';

/** USD per million tokens, as a decimal string. */
const perMillion = z.string().regex(/^\d+(\.\d{1,6})?$/);
const rateFields = {
  input: perMillion,
  output: perMillion,
  cache_read: perMillion.nullable(),
  cache_write: perMillion.nullable(),
};

/** What a model costs from a day on, as the reviewed data files have it. */
export const priceRow = z.object({
  /** First day on which the row holds, UTC; null: since ever. */
  from: z.iso.date().nullable(),
  ...rateFields,
  tiers: z.array(z.object({ above: z.int().positive(), ...rateFields })),
});

export type PriceRow = z.infer<typeof priceRow>;

export const priceOf = (row: PriceRow): Price => ({
  ...ratesOf(row),
  request: picoUsd(0n),
  tiers: row.tiers.map((tier) => ({ minPromptTokens: tier.above, ...ratesOf(tier) })),
});

const ratesOf = (row: Pick<PriceRow, 'input' | 'output' | 'cache_read' | 'cache_write'>): Rates => ({
  prompt: perToken(row.input),
  completion: perToken(row.output),
  cacheRead: row.cache_read === null ? null : perToken(row.cache_read),
  cacheWrite: row.cache_write === null ? null : perToken(row.cache_write),
});

/** USD per million tokens is micro-USD per token: moving the point six places gives pico-USD. Never through a float. */
function perToken(text: string): PicoUsd {
  const [whole = '0', fraction = ''] = text.split('.');
  return picoUsd(BigInt(`${whole}${fraction.padEnd(6, '0')}`));
}
