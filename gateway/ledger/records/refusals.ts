import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { QuoteLimit } from '#shared/wire/quote.ts';
import type { Principal } from '../../access/auth/principal.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { type ModelName, modelLimitName, modelRefusal } from '../model-limits.ts';
import { keyShortageNow } from '../quota.ts';
import { quotas } from './account-limits.ts';
import { accountRow } from './account-store.ts';

/**
 * Returns everything that would refuse a request with this hold: the key's limit, the balance, the plan's quotas and the
 * account's limits.
 */
export async function getRefusals(
  db: GatewayDb,
  principal: Principal,
  model: ModelName,
  hold: bigint,
  now: number,
): Promise<QuoteLimit[]> {
  const { plan, accountId } = principal;
  const row = await accountRow(db, accountId);
  const available = row.balance - row.held;
  const needed = formatUsd(nanoUsd(hold));
  const short: QuoteLimit[] = [];
  if (plan.billing === 'prepaid' && hold > 0n && available < hold) {
    const left = formatUsd(nanoUsd(available));
    short.push({
      code: 'insufficient_credits',
      message: `This request may cost up to $${needed}, available $${left}.`,
      needed_usd: needed,
      available_usd: left,
    });
  }
  const { id: keyId } = principal.credential;
  const keyShortage = keyId === null ? null : await keyShortageNow(db, keyId, hold);
  const modelShortage = modelRefusal(row, keyId, model, hold, now);
  const full = (await quotas(db, principal, now)).filter(({ name, remaining }) =>
    name === 'requests_per_day'
      ? remaining === '0'
      : name !== modelLimitName && hold > 0n && row.held + hold > parseUsd(remaining),
  );
  return [
    ...(keyShortage ? [{ code: keyShortage.code, message: keyShortage.message, ...keyShortage.details }] : []),
    ...short,
    ...(modelShortage
      ? [{ code: modelShortage.code, message: modelShortage.message, name: modelLimitName, ...modelShortage.details }]
      : []),
    ...full.map(({ name, limit, used, remaining, resets_at }) => ({
      code: 'plan_limit_exceeded',
      message: `The limit ${name} of ${limit} leaves ${remaining}.`,
      name,
      limit,
      used,
      remaining,
      resets_at,
    })),
  ];
}
