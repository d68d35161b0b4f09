import type { NanoUsd } from '#shared/money.ts';
import type { BooksTransaction } from '../db/open.ts';
import { type Decided, decideSteps, type Step, type StepResult } from './decide-steps.ts';
import type { LedgerDeps } from './ledger-store.ts';
import { sqliteBooks } from './sqlite-changes.ts';
import type { InterruptingLedger } from './sweeper.ts';

/** A step on its way, and whom to tell what came of it. */
interface Waiting {
  readonly step: Step;
  /** Called once it is committed and was not refused. */
  readonly decided: ((value: never) => void) | null;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The ledger over SQLite's one connection: the steps that come together are decided together, in one write transaction that
 * reads and writes each account, key and counter once.
 */
export function createSqliteLedger({
  transact,
  now,
  instanceId,
  leaseMs,
}: Omit<LedgerDeps, 'db'> & { leaseMs: number }): InterruptingLedger {
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
    let made: Decided | null = null;
    let committed = false;
    const work = async (trx: BooksTransaction) => {
      steps ??= take();
      const time = now();
      const books = sqliteBooks(trx);
      const context = { now: time, leaseUntil: time + leaseMs, instanceId };
      made = decideSteps(
        steps.map(({ step }) => step),
        books,
        context,
      );
      books.apply(made.changes);
      return made.results;
    };
    const whenCommitted = () => {
      committed = true;
      for (const [at, result] of (made?.results ?? []).entries())
        if ('value' in result) steps?.[at]?.decided?.(result.value as never);
    };
    transact(work, whenCommitted).then(
      (results) => answer(steps ?? [], results),
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
        const durable: Promise<void> = add({ do: 'hold', request }, (amount: NanoUsd) => resolve({ amount, durable }));
        durable.catch(reject);
      }),
    extend: (requestId, to) => add({ do: 'extend', requestId, to }),
    renew: (requestId) => add({ do: 'renew', requestId }),
    settle: (settlement) => add({ do: 'settle', settlement }),
    interrupt: (settlement, leaseUntil) => add({ do: 'interrupt', settlement, leaseUntil }),
  };
}

function answer(steps: readonly Waiting[], results: readonly StepResult[]): void {
  for (const [at, { resolve, reject }] of steps.entries()) {
    const result = results[at];
    if (result && 'value' in result) resolve(result.value as never);
    else reject(result?.error);
  }
}
