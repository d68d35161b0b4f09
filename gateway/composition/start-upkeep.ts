import type { KeptAnswers } from '../engine/idempotency/kept-answers.ts';
import type { ReasoningState } from '../engine/reasoning/reasoning-state.ts';
import { createRoutingDetails } from '../ledger/records/routing-details.ts';
import { sweepEveryMs, sweepExpired } from '../ledger/sweeper.ts';
import type { LivePrices } from '../models/prices/price-json.ts';
import type { Cluster } from '../operations/cluster/cluster.ts';
import type { Foundation } from './open-foundation.ts';

export interface UpkeepOptions {
  /** For how many days the router's candidates are kept with a request; null or absent: forever. */
  readonly routingDetailDays?: number | null;
}

interface Kept {
  readonly keptAnswers: KeptAnswers;
  readonly reasoningState: ReasoningState;
  readonly cluster: Cluster;
  readonly prices: LivePrices;
}

/** Deletes expired data from time to time. Returns the function that stops it. */
export function startUpkeep(
  { db, transact, now, clock, sweeping, plans, log }: Foundation,
  { routingDetailDays }: UpkeepOptions,
  { keptAnswers, reasoningState, cluster, prices }: Kept,
): () => Promise<void> {
  const details = createRoutingDetails({ db, transact, now, days: routingDetailDays ?? null, log });
  details.shorten();
  const sweeper = setInterval(() => {
    details.shorten();
    Promise.all([
      sweepExpired(sweeping),
      keptAnswers.forgetOld(),
      reasoningState.forgetOld(),
      cluster.sweep(),
      clock?.sync(),
      prices.reload(),
      plans.reload(),
    ]).catch((error: unknown) => log({ event: 'sweep_failed', cause: String(error) }));
  }, sweepEveryMs);
  sweeper.unref();
  return async () => {
    clearInterval(sweeper);
    await details.close();
  };
}
