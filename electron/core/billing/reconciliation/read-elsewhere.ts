import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayClient } from '#shared/client/gateway-client.ts';
import { toAppError } from '#shared/errors.ts';
import type { Payer } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import type { Background } from '../../worker/background.ts';
import type { AccountLedger } from '../../worker/booked-requests.ts';
import type { RemotePage } from '../../worker/remote-ledger.ts';

const pageSize = 100;
/** For one answer. */
const limitMs = 30_000;
/** Who asks waits so long for all of it; the reading goes on. */
const patienceMs = 5_000;
/** Between two pages, once the gateway has said that it was asked too often: others read there too. */
const pauseMs = 1_000;
const maxWaitMs = 60_000;

/** How far one kind of pages was read, from the newest on. */
interface Reached {
  /** After it the reading goes on where it was broken off; null: it has not begun. */
  last: string | null;
  end: boolean;
}

interface Account {
  readonly id: string;
  readonly records: Reached;
  readonly lines: Reached;
  linesTold: boolean;
  slow: boolean;
  /** Null: nobody reads at the moment. */
  reading: Promise<void> | null;
}

interface Page {
  readonly more: boolean;
  readonly last: string | null;
  readonly kept: Promise<boolean>;
}

/**
 * Reads the books of gateways elsewhere by their pages into the worker's files, all of them, however long it takes: what has ended
 * never changes, so that a later look only asks for what is new. Whoever asks meanwhile gets what was read so far.
 */
export function remoteLedger(background: Pick<Background, 'run'>) {
  const accounts = new Map<string, Account>();

  async function getAccount(source: string): Promise<Account> {
    const { id } = await background.run('openRemoteLedger', { source });
    const known = accounts.get(source);
    if (known?.id === id) return known;
    const begun = (): Reached => ({ last: null, end: false });
    const fresh = { id, records: begun(), lines: begun(), linesTold: true, slow: false, reading: null };
    accounts.set(source, fresh);
    return fresh;
  }

  async function read(account: Account, client: GatewayClient): Promise<void> {
    const { id } = account;
    const keep = (page: RemotePage) => background.run('storeRemotePage', page);
    await background.run('settleRemoteLedger', { id, joined: false });
    await readPages(account.records, async (after, fresh) => {
      const told = await patiently(account, () => client.requests(pageAfter(after), within()));
      return { more: told.has_more, last: told.last_id, kept: keep({ id, fresh, records: told.data }) };
    });
    await readPages(account.lines, async (after, fresh) => {
      const { transactions } = await patiently(account, () => client.credits(pageAfter(after), within()));
      account.linesTold = transactions.reported !== false;
      const lines = transactions.data.map(({ id: lineId, request_id, amount, type }) => ({
        id: lineId,
        requestId: type === 'usage' || type === 'byok_fee' ? request_id : null,
        usd: negated(amount),
      }));
      return { more: transactions.has_more, last: transactions.last_id, kept: keep({ id, fresh, lines }) };
    });
    await background.run('settleRemoteLedger', { id, joined: true });
  }

  return async ({ source, client, installation }: Payer, ownKey: string | null): Promise<AccountLedger> => {
    const account = await getAccount(source);
    account.reading ??= read(account, client).finally(() => {
      account.reading = null;
    });
    const { reading } = account;
    const whole = await Promise.race([reading.then(() => true), delay(patienceMs, false, { ref: false })]);
    const { requests, since } = await background.run('openRemoteLedger', { source });
    return {
      remoteLedgerId: account.id,
      part: whole ? null : { requests, since },
      lines: whole && account.linesTold,
      installation: installation ?? null,
      ownKeys: ownKey === null ? [] : [ownKey],
    };
  };
}

/** From the newest on to what is known, and from there on where the last reading ended. */
async function readPages(
  reached: Reached,
  ask: (after: string | null, fresh: boolean) => Promise<Page>,
): Promise<void> {
  let fresh = reached.last !== null;
  for (let after: string | null = null; ; ) {
    const page = await ask(after, fresh);
    const known = await page.kept;
    // A gateway that says the same page again would never end.
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

/** Asks again, as late as it is told to, where the gateway was asked too often. */
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
