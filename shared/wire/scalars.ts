import { z } from 'zod';

/** A decimal string in USD, canonical form (wire contract §2.6). */
export const usdAmount = z
  .string()
  .regex(/^-?\d+(\.\d{1,9})?$/)
  .meta({ description: 'Decimal string, USD', examples: ['12.5'] });
/** USD per token, as a decimal string. */
export const usdPerToken = z
  .string()
  .regex(/^\d+(\.\d{1,12})?$/)
  .meta({ description: 'Decimal string, USD per token' });
/** Unix seconds, UTC. */
export const unixSeconds = z.int().meta({ description: 'Unix seconds, UTC' });
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
