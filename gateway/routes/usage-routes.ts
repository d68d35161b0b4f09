import { Hono } from 'hono';
import { z } from 'zod';
import { type Usage, usageGroup } from '#shared/wire/usage.ts';
import type { Principal } from '../auth/principal.ts';
import type { BooksDb } from '../db/open.ts';
import type { AppEnv } from '../http/context.ts';
import { badQuery, endTime, flag, readQuery, startTime } from '../http/query.ts';
import { currentMonth, dayMs, type Period } from '../ledger/period.ts';
import { quotas } from '../records/account-limits.ts';
import { usageBuckets, usageTotals } from '../records/usage-store.ts';

const longestDays = 400;
const name = z.string().min(1, 'must not be empty').max(256).optional();
/** What may follow the question mark. */
export const usageQuery = z.object({
  start: startTime.optional(),
  end: endTime.optional(),
  group_by: usageGroup.default('model'),
  provider: name,
  model: name,
  key: name,
  byok: flag.optional(),
});

type Query = z.output<typeof usageQuery>;

/** `GET /v1/usage` (wire contract §2.3). All buckets come in one page, so that they always add up to the totals. */
export function usageRoutes({ db, now }: { readonly db: BooksDb; readonly now: () => number }): Hono<AppEnv> {
  return new Hono<AppEnv>().get('/v1/usage', async (context) =>
    context.json(await readUsage(db, context.get('principal'), readQuery(context, usageQuery), now())),
  );
}

async function readUsage(db: BooksDb, principal: Principal, asked: Query, now: number): Promise<Usage> {
  const period = periodOf(asked, now);
  const { provider, model, key, byok } = asked;
  const filter = { accountId: principal.accountId, ...period, provider, model, key, byok };
  const data = await usageBuckets(db, filter, asked.group_by);
  return {
    object: 'usage',
    period: {
      type: asked.start === undefined && asked.end === undefined ? 'month' : 'custom',
      start: period.startMs / 1000,
      end: period.endMs / 1000,
    },
    totals: { ...(await usageTotals(db, filter)) },
    group_by: asked.group_by,
    data,
    has_more: false,
    first_id: null,
    last_id: null,
    limits: await quotas(db, principal.accountId, principal.plan, now),
  };
}

/** The current month; a period with one end given reaches from or to the current month's. */
function periodOf({ start, end }: Query, now: number): Period {
  const month = currentMonth(now);
  const startMs = start ?? Math.min(month.startMs, currentMonth((end ?? month.endMs) - 1).startMs);
  const endMs = end ?? month.endMs;
  if (endMs <= startMs) throw badQuery('end', 'must be later than "start"');
  if (endMs - startMs > longestDays * dayMs)
    throw badQuery('start', `must be at most ${longestDays} days before "end"`);
  return { startMs, endMs };
}
