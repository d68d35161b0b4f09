import { z } from 'zod';
import { count, unixSeconds, usdAmount } from './scalars.ts';

export const scope = z.enum(['chat', 'models', 'account']);

export const plan = z.looseObject({
  id: z.string(),
  name: z.string(),
  renews_at: unixSeconds.nullable(),
  features: z.array(z.string()),
  limits: z.looseObject({
    requests_per_minute: count.nullable(),
    tokens_per_minute: count.nullable(),
    concurrent_requests: count.nullable(),
    requests_per_day: count.nullable(),
    monthly_spend_usd: usdAmount.nullable(),
    max_output_tokens: count.nullable(),
    models: z.array(z.string()),
  }),
  /**
   * `prepaid`: credits are checked before each request. `meter_only`: costs are only recorded, and no request is
   * refused (§7).
   */
  billing: z.enum(['prepaid', 'meter_only']),
});

export const credential = z.looseObject({
  type: z.enum(['api_key', 'jwt']),
  id: z.string().nullable(),
  label: z.string().nullable(),
  prefix: z.string().nullable(),
  scopes: z.array(z.string()),
});

export const balance = z.looseObject({
  currency: z.literal('USD'),
  amount: usdAmount,
  held: usdAmount,
  available: usdAmount,
  total_granted: usdAmount,
  total_used: usdAmount,
});

export const period = z.object({ type: z.enum(['month', 'custom']), start: unixSeconds, end: unixSeconds });

/** `GET /account` (wire contract §2.2). */
export const account = z
  .looseObject({
    object: z.literal('account'),
    id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    created: unixSeconds,
    status: z.enum(['active', 'suspended', 'closed']),
    plan,
    balance: balance.nullable(),
    usage: z
      .looseObject({
        period,
        requests: count,
        prompt_tokens: count,
        completion_tokens: count,
        total_tokens: count,
        cost_usd: usdAmount,
        /** Requests with an unknown cost, which `cost_usd` leaves out: see `Usage`. */
        unknown_cost_requests: count.optional(),
        unfinished_requests: count.optional(),
      })
      .nullable(),
    credential,
  })
  .meta({ id: 'Account' });

/** `POST /v1/auth/verify` (wire contract §2.5). `account.balance`, `usage` and `email` need the scope `account`. */
export const verification = z
  .looseObject({
    object: z.literal('auth.verification'),
    valid: z.literal(true),
    credential: credential.extend({
      created: unixSeconds.nullable(),
      expires_at: unixSeconds.nullable(),
      last_used_at: unixSeconds.nullable(),
    }),
    account: account.omit({ credential: true }),
  })
  .meta({ id: 'Verification' });

export type Scope = z.infer<typeof scope>;
export type Account = z.infer<typeof account>;
export type Balance = z.infer<typeof balance>;
export type Verification = z.infer<typeof verification>;
