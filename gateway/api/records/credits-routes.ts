import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { transactionType } from '#shared/wire/credits.ts';
import type { AppEnv } from '../../http/context.ts';
import { endTime, listFields, readQuery, startTime } from '../../http/query.ts';
import { readCredits } from '../../ledger/records/credits-store.ts';
import type { GatewayDb } from '../../storage/open-database.ts';

/** What may follow the question mark. */
export const creditsQuery = z.object({
  ...listFields,
  type: transactionType.optional(),
  start: startTime.optional(),
  end: endTime.optional(),
});

/** `GET /credits` and `GET /v1/credits` (wire contract §2.4). */
export function creditsRoutes({ db }: { readonly db: GatewayDb }): Hono<AppEnv> {
  const answer = async (context: Context<AppEnv>) =>
    context.json(await readCredits(db, context.get('principal').accountId, readQuery(context, creditsQuery)));
  return new Hono<AppEnv>().get('/credits', answer).get('/v1/credits', answer);
}
