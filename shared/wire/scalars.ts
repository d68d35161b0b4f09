import { z } from 'zod';
import { formatUsd, isUsd, isUsdPerToken, maxNano } from '../money.ts';

/** A decimal string in USD, in canonical form (wire contract §2.6) and within the ledger's range. */
export const usdAmount = z
  .string()
  .max(40)
  .regex(/^-?\d+(\.\d{1,9})?$/)
  .refine(isUsd, `an amount is at most ${formatUsd(maxNano)} USD`)
  .meta({ description: 'Decimal string, USD', examples: ['12.5'] });
/** USD per token, as a decimal string. */
export const usdPerToken = z
  .string()
  .regex(/^\d+(\.\d{1,12})?$/)
  .refine(isUsdPerToken, 'is more than a price can be')
  .meta({ description: 'Decimal string, USD per token' });
/** Unix seconds, UTC. */
export const unixSeconds = z.int().meta({ description: 'Unix seconds, UTC' });
/** The last second of the year 9999, the latest time that a date with a four-digit year can express. */
export const lastSecond = Date.UTC(9999, 11, 31, 23, 59, 59) / 1_000;
export const count = z.int().nonnegative();

/** A cursor list in OpenAI's style (wire contract §1.0). */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    object: z.literal('list'),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });
