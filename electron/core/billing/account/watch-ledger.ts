import { GatewayError } from '#shared/client/gateway-error.ts';
import type { Connections, Payer } from '../../gateways/connection/connections.ts';
import type { Changes } from '../../runtime/streams/change-topics.ts';
import { pause } from '../../runtime/streams/pace.ts';

export interface WatchLedgerDeps {
  readonly connections: Pick<Connections, 'mode' | 'payers'>;
  readonly changes: Pick<Changes, 'emit' | 'isWatched' | 'listen'>;
  /** The watch ends with it. */
  readonly signal: AbortSignal;
  /** Milliseconds between two reads, by where the gateway runs. */
  readonly every?: PollIntervals | undefined;
}

export type PollIntervals = Readonly<Record<Connections['mode'], number>>;

/** In this process it is a read of one row; over a network it is a request. */
const usualIntervals = { embedded: 5_000, remote: 10_000 };
/** A gateway that does not answer is asked less and less often, at least once in this time. */
const slowestMs = 60_000;
const limitMs = 8_000;

/**
 * Notices what happens to the books without this app: what another program spends, a top-up, a gateway that is gone or
 * back. Announces it as `account` or `gateway`; also after the first read of an account, since pages may have read it
 * before that. What the app itself announced is read at once, and not announced again. While no window is watching,
 * nothing is asked.
 */
export async function watchLedger({
  connections,
  changes,
  signal,
  every = usualIntervals,
}: WatchLedgerDeps): Promise<void> {
  let seen = new Map<string, LedgerState>();
  let silent = 0;
  let woken = new AbortController();
  let announcing = false;
  const ended = changes.listen((topics) => {
    if (!announcing && topics.includes('account')) woken.abort();
  });
  const announce = (topic: 'account' | 'gateway') => {
    announcing = true;
    changes.emit(topic);
    announcing = false;
  };

  while (!signal.aborted) {
    const waitMs = Math.min(every[connections.mode] * 2 ** silent, Math.max(slowestMs, every.remote));
    await pause(waitMs, AbortSignal.any([signal, woken.signal]));
    const ours = woken.signal.aborted;
    woken = new AbortController();
    if (signal.aborted || !changes.isWatched()) continue;
    const states = await readAll(connections, signal);
    const pairs = [...states].map(([source, now]) => ({ before: seen.get(source), now }));
    if (pairs.some(({ before, now }) => before !== undefined && (before === null) !== (now === null)))
      announce('gateway');
    else if (!ours && pairs.some(({ before, now }) => before !== now)) announce('account');
    silent = pairs.every(({ now }) => now !== null) ? 0 : Math.min(silent + 1, 10);
    seen = states;
  }
  ended();
}

/** Sums and the newest line, as text; null: the gateway did not answer. */
type LedgerState = string | null;

async function readAll(
  connections: Pick<Connections, 'payers'>,
  signal: AbortSignal,
): Promise<Map<string, LedgerState>> {
  // A key that cannot be read is no gateway that is away: whoever needs it says so.
  const payers = await connections.payers().catch((): Payer[] => []);
  return new Map(
    await Promise.all(payers.map(async (payer) => [payer.source, await readLedgerState(payer, signal)] as const)),
  );
}

async function readLedgerState({ client }: Payer, signal: AbortSignal): Promise<LedgerState> {
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const { transactions, ...sums } = await client.credits({ limit: 1 }, { signal: within });
    return JSON.stringify([sums, transactions.first_id]);
  } catch (error) {
    // One that does not tell its books, or not to this key, is there all the same.
    const refused = error instanceof GatewayError && error.status_code >= 400 && error.status_code < 500;
    return refused && error.status_code !== 429 ? `refused ${error.status_code}` : null;
  }
}
