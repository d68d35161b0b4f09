import { parseUsd } from '#shared/money.ts';
import type { Connections } from '../../gateways/connection/connections.ts';
import { getPersonCost } from '../costs/person-cost.ts';

/** Nano-USD. */
export interface AccountSpend {
  /** The account, as the app's own records name it. */
  readonly source: string;
  /** Charged since the current UTC day and month began, and billed by providers on the person's own keys. */
  readonly day: bigint;
  readonly month: bigint;
  /** What running requests may still cost. */
  readonly held: bigint;
}

/** A gateway that does not answer keeps nobody from writing. */
const limitMs = 3_000;

/**
 * What the person pays for the account's requests, by its gateway's own books: other programs included. Null: the gateway does not tell
 * that, or does not answer now.
 */
export async function accountSpend(
  connections: Pick<Connections, 'billingAccount' | 'mode'>,
  periods: { readonly day: number; readonly month: number },
): Promise<AccountSpend | null> {
  const signal = AbortSignal.timeout(limitMs);
  try {
    const { client, source } = await connections.billingAccount('main');
    const usage = await client.usage({ group_by: 'day', start: periods.month / 1000 }, { signal });
    const month = getPersonCost(usage.totals);
    if (month === null || usage.grouped === false || usage.period === null) return null;
    const today = new Date(periods.day).toISOString().slice(0, 10);
    const bucket = usage.data.find((entry) => entry.day === today);
    const day = bucket ? getPersonCost(bucket) : 0n;
    if (day === null) return null;
    const { balance } = await client.account({ signal });
    const held = parseUsd(balance?.held ?? '0');
    return { source, day, month, held };
  } catch {
    // Whatever keeps it from telling: what this app knows by itself is counted instead, and that is said.
    return null;
  }
}
