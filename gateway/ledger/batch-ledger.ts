import type { BooksTransaction } from '../db/open.ts';
import { type Batch, runBatch, type Step, type Told } from './batch.ts';
import type { Open } from './batch-rows.ts';
import { batchStatements } from './batch-statements.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerDeps } from './ledger-store.ts';

/** A step on its way, and whom to tell what came of it. */
interface Waiting {
  readonly step: Step;
  /** Called once it is committed and was not refused. */
  readonly decided: (() => void) | null;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The ledger over SQLite's one connection: the steps that come together are taken together, in one write transaction
 * that reads and writes each account, key and counter once. They are decided inside of it, so that any number of
 * processes may serve the same file.
 */
export function createBatchLedger({ transact, now, instanceId, leaseMs }: LedgerDeps & { leaseMs: number }): Ledger {
  const open = new Map<string, Open>();
  const queue: Waiting[] = [];

  function add<T>(step: Step, decided: Waiting['decided'] = null): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue.push({ step, decided, resolve, reject });
      if (queue.length === 1) commit(() => queue.splice(0));
    });
  }

  /** Takes the steps when their turn has come: what has arrived by then is in. */
  function commit(take: () => readonly Waiting[]): void {
    let steps: readonly Waiting[] | null = null;
    let batch: Batch | null = null;
    let committed = false;
    const work = async (trx: BooksTransaction) => {
      steps ??= take();
      const time = now();
      const context = { statements: batchStatements(trx), now: time, leaseUntil: time + leaseMs, instanceId, open };
      batch = runBatch(
        steps.map(({ step }) => step),
        context,
      );
      return batch.told;
    };
    const whenCommitted = () => {
      committed = true;
      for (const [id, row] of batch?.changed ?? []) {
        if (row) open.set(id, row);
        else open.delete(id);
      }
      for (const [at, told] of (batch?.told ?? []).entries()) if ('value' in told) steps?.[at]?.decided?.();
    };
    transact(work, whenCommitted).then(
      (told) => answer(steps ?? [], told),
      (error: unknown) => {
        const left = steps ?? take();
        // One step that the database refuses must not take its neighbours with it.
        if (!committed && left.length > 1) for (const one of left) commit(() => [one]);
        else for (const { reject } of left) reject(error);
      },
    );
  }

  return {
    hold: (request) => add({ do: 'hold', request }),
    decide: (request) =>
      new Promise((resolve, reject) => {
        const durable: Promise<void> = add({ do: 'hold', request }, () => resolve({ durable }));
        durable.catch(reject);
      }),
    extend: (requestId, to) => add({ do: 'extend', requestId, to }),
    renew: (requestId) => add({ do: 'renew', requestId }),
    settle: (settlement) => add({ do: 'settle', settlement }),
  };
}

function answer(steps: readonly Waiting[], told: readonly Told[]): void {
  for (const [at, { resolve, reject }] of steps.entries()) {
    const one = told[at];
    if (one && 'value' in one) resolve(one.value as never);
    else reject(one?.error);
  }
}
