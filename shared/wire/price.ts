import { z } from 'zod';
import { pricing } from './model.ts';

/** `GET /v1/prices/{id}` (wire contract §10): past, present and future prices of a model, oldest first. */
export const priceHistory = z
  .object({
    object: z.literal('price_history'),
    /** `provider/model`. */
    model: z.string(),
    data: z.array(
      z.object({
        /** The first day on which it applies, `YYYY-MM-DD`, UTC. Null for the oldest known price. */
        from: z.string().nullable(),
        /** Null if no price is known from then on. */
        pricing: pricing.nullable(),
      }),
    ),
  })
  .meta({ id: 'PriceHistory' });

export type PriceHistory = z.infer<typeof priceHistory>;
