import { GatewayError } from '#shared/client/gateway-error.ts';
import type { Connections, Payer } from '../../gateways/connection/connections.ts';
import { pause } from '../../runtime/streams/pace.ts';
import type { CoreContext } from '../../storage/core-context.ts';

export interface WatchLedgerDeps extends CoreContext {
  readonly connections: Pick<Connections, 'mode' | 'payers'>;
  /** Milliseconds between two reads, by the kind of gateway. */
  readonly every?: PollIntervals | undefined;
}

export type PollIntervals = Readonly<Record<Connections['mode'], number>>;

/** Reading the embedded gateway costs one row; reading a remote one costs a network request. */
const usualIntervals = { embedded: 5_000, remote: 10_000 };
/** A gateway that doesn't answer is polled less and less often, down to this interval. */
const slowestMs = 60_000;
const limitMs = 8_000;

/**
 * Watches the ledgers for changes made outside this app: spending by another program, a top-up, a gateway that goes
 * away or comes back. Announces each as `account` or `gateway`. The first read is announced too, since a page may have
 * read the account before it. A change that the app itself announced triggers a read at once, but no second
 * announcement. Nothing is polled while no window is open.
 */
export async function watchLedger({
  connections,
  changes,
  closing: signal,
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

/** The sums and the id of the newest line, as JSON. Null: the gateway didn't answer. */
type LedgerState = string | null;

async function readAll(
  connections: Pick<Connections, 'payers'>,
  signal: AbortSignal,
): Promise<Map<string, LedgerState>> {
  // An unreadable key doesn't mean that the gateway is away. The call that needs the key reports it.
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
    // A gateway that refuses to show its ledger to this key still counts as reachable.
    const refused = error instanceof GatewayError && error.status_code >= 400 && error.status_code < 500;
    return refused && error.status_code !== 429 ? `refused ${error.status_code}` : null;
  }
}
