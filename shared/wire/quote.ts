import { z } from 'zod';
import { routing, warning } from './chat-response.ts';
import { count, usdAmount } from './scalars.ts';

const range = z.object({ low: count, high: count });

/** A reason why the request would be refused as it stands. */
const quoteLimit = z.looseObject({
  /** The code of the error that the request would get. */
  code: z.string(),
  message: z.string(),
});

/** `POST /v1/quote` (wire contract §10): what a chat request would cost, without calling a model or holding credits. */
export const quote = z
  .looseObject({
    object: z.literal('quote'),
    provider: z.string(),
    model: z.string(),
    routing,
    tokens: z.object({
      prompt: range.extend({ estimate: count }),
      cached: range,
      completion: range,
      /** Number of web searches. */
      searches: range.optional(),
    }),
    cost_usd: z.object({ low: usdAmount, high: usdAmount }).meta({
      description:
        '`high` is the least that the gateway holds before it asks the model: the request costs no more, unless it is open-ended',
    }),
    byok: z.boolean(),
    open_ended: z.boolean().meta({
      description:
        'It may cost more than `high`: no `max_tokens` was given, or it has files or searches, whose length nobody knows',
    }),
    prices_as_of: z
      .string()
      .nullable()
      .meta({ description: 'Day of the price, `YYYY-MM-DD`; null where no price is known' }),
    limits: z.array(quoteLimit),
    warnings: z.array(warning),
  })
  .meta({ id: 'Quote' });

export type QuoteLimit = z.infer<typeof quoteLimit>;
export type Quote = z.infer<typeof quote>;
