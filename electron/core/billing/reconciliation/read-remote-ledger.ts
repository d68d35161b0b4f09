import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayClient } from '#shared/client/gateway-client.ts';
import { toAppError } from '#shared/errors.ts';
import type { Payer } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import type { Background } from '../../worker/background.ts';
import type { AccountLedger } from '../../worker/booked-requests.ts';
import type { RemotePage } from '../../worker/remote-ledger.ts';

const pageSize = 100;
/** Time limit for one page. */
const limitMs = 30_000;
/** The page waits this long for a complete result. Reading continues in the background. */
const patienceMs = 5_000;
/** The pause between two pages after the gateway reported too many requests, because other programs share its limit. */
const pauseMs = 1_000;
const maxWaitMs = 60_000;

/** How far the pages of one kind were read, starting at the newest. */
interface Reached {
  /** The cursor at which interrupted reading continues. Null: not started. */
  last: string | null;
  end: boolean;
}

interface Account {
  readonly id: string;
  readonly records: Reached;
  readonly lines: Reached;
  linesReported: boolean;
  slow: boolean;
  /** Null: no read is running. */
  reading: Promise<void> | null;
}

interface Page {
  readonly more: boolean;
  readonly last: string | null;
  readonly stored: Promise<boolean>;
}

/**
 * Reads the complete ledgers of remote gateways, page by page, into the worker's files. Completed requests never
 * change, so a later check reads only new ones. A caller meanwhile gets what was read so far.
 */
export function remoteLedger(background: Pick<Background, 'run'>) {
  const accounts = new Map<string, Account>();

  async function getAccount(source: string): Promise<Account> {
    const { id } = await background.run('openRemoteLedger', { source });
    const known = accounts.get(source);
    if (known?.id === id) return known;
    const begun = (): Reached => ({ last: null, end: false });
    const fresh = { id, records: begun(), lines: begun(), linesReported: true, slow: false, reading: null };
    accounts.set(source, fresh);
    return fresh;
  }

  async function read(account: Account, client: GatewayClient): Promise<void> {
    const { id } = account;
    const keep = (page: RemotePage) => background.run('storeRemotePage', page);
    await background.run('settleRemoteLedger', { id, joined: false });
    await readPages(account.records, async (after, fresh) => {
      const response = await patiently(account, () => client.requests(pageAfter(after), within()));
      return { more: response.has_more, last: response.last_id, stored: keep({ id, fresh, records: response.data }) };
    });
    await readPages(account.lines, async (after, fresh) => {
      const { transactions } = await patiently(account, () => client.credits(pageAfter(after), within()));
      account.linesReported = transactions.reported !== false;
      const lines = transactions.data.map(({ id: lineId, request_id, amount, type }) => ({
        id: lineId,
        requestId: type === 'usage' || type === 'byok_fee' ? request_id : null,
        usd: negated(amount),
      }));
      return { more: transactions.has_more, last: transactions.last_id, stored: keep({ id, fresh, lines }) };
    });
    await background.run('settleRemoteLedger', { id, joined: true });
  }

  return async ({ source, client, installation }: Payer, ownKey: string | null): Promise<AccountLedger> => {
    const account = await getAccount(source);
    account.reading ??= read(account, client).finally(() => {
      account.reading = null;
    });
    const { reading } = account;
    const isComplete = await Promise.race([reading.then(() => true), delay(patienceMs, false, { ref: false })]);
    const { requests, since } = await background.run('openRemoteLedger', { source });
    return {
      remoteLedgerId: account.id,
      part: isComplete ? null : { requests, since },
      lines: isComplete && account.linesReported,
      installation: installation ?? null,
      ownKeys: ownKey === null ? [] : [ownKey],
    };
  };
}

/** Reads from the newest page to the first known one, then continues where the last read stopped. */
async function readPages(
  reached: Reached,
  ask: (after: string | null, fresh: boolean) => Promise<Page>,
): Promise<void> {
  let fresh = reached.last !== null;
  for (let after: string | null = null; ; ) {
    const page = await ask(after, fresh);
    const known = await page.stored;
    // A gateway that repeats the same page would never end the loop.
    const isLast = !page.more || page.last === null || page.last === after;
    if (isLast) {
      reached.end = true;
      reached.last ??= page.last ?? '';
      return;
    }
    if (fresh && known) {
      if (reached.end) return;
      fresh = false;
      after = reached.last;
    } else {
      after = page.last;
      if (!fresh) reached.last = after;
    }
  }
}

/** Retries after the delay that the gateway asks for when it was called too often. */
async function patiently<T>(account: Account, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    if (account.slow) await delay(pauseMs, undefined, { ref: false });
    try {
      return await askGateway(ask);
    } catch (error) {
      const { code, retryAfterMs } = toAppError(error);
      if (code !== 'rate_limit_exceeded' || retryAfterMs === undefined) throw error;
      account.slow = true;
      await delay(Math.min(retryAfterMs, maxWaitMs), undefined, { ref: false });
    }
  }
}

const pageAfter = (after: string | null) => (after ? { limit: pageSize, after } : { limit: pageSize });
const within = () => ({ signal: AbortSignal.timeout(limitMs) });
const negated = (usd: string): string => (usd.startsWith('-') ? usd.slice(1) : usd === '0' ? usd : `-${usd}`);
