import { z } from 'zod';
import { pricing } from './model.ts';

/** `GET /v1/prices/{id}` (wire contract §10): what a model was, is and will be charged by, oldest first. */
export const priceHistory = z
  .object({
    object: z.literal('price_history'),
    /** `provider/model`. */
    model: z.string(),
    data: z.array(
      z.object({
        /** First day on which it holds, `YYYY-MM-DD`, UTC; null: since before anybody wrote it down. */
        from: z.string().nullable(),
        /** Null: from then on no price is known. */
        pricing: pricing.nullable(),
      }),
    ),
  })
  .meta({ id: 'PriceHistory' });

export type PriceHistory = z.infer<typeof priceHistory>;
