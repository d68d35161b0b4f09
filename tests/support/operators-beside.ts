import { setTimeout } from 'node:timers/promises';
import { parseUsd } from '#shared/money.ts';
import { takingTurns } from '#shared/taking-turns.ts';
import { openOperator } from '../../gateway/cli/on-database.ts';
import type { Administrator } from '../../gateway/operations/operator/operator.ts';
import type { Env } from './gateway-process.ts';

const grant = parseUsd('0.001');
/** About as often as a person or script could run commands. */
const pauseMs = 200;

const inTurn = takingTurns();

/** Runs commands one at a time: two of one process would wait for each other's lock on an SQLite file. */
const command = <Result>(database: string, env: Env, run: (operator: Administrator) => Promise<Result>) =>
  inTurn(() => oneCommand(database, env, run));

/** Opens the ledger for one command and closes it again, while another process serves it. */
async function oneCommand<Result>(database: string, env: Env, run: (operator: Administrator) => Promise<Result>) {
  const { operator, close } = await openOperator({ database, env, now: Date.now, mayCreate: false });
  try {
    return await run(operator);
  } finally {
    await close();
  }
}

/** Repeats the work until `stop`, which waits for the current run to end and rejects if one failed. */
function repeat(work: () => Promise<void>): { stop(): Promise<void> } {
  let going = true;
  const running = (async () => {
    while (going) {
      await work();
      await setTimeout(pauseMs);
    }
  })();
  running.catch(() => {});
  return {
    stop() {
      going = false;
      return running;
    },
  };
}

/** Starts an operator who grants credits while another process serves the ledger. */
export function startGranting(database: string, env: Env, accountId: string) {
  let granted = 0n;
  const running = repeat(async () => {
    await command(database, env, (operator) => operator.grant({ accountId, amount: grant }));
    granted += grant;
  });
  return {
    /** Returns the sum that was granted. */
    async stop(): Promise<bigint> {
      await running.stop();
      return granted;
    },
  };
}

/** The keys that were revoked and the accounts that were suspended. */
export interface TakenAway {
  readonly keys: string[];
  readonly accounts: string[];
}

/**
 * Starts an operator who creates accounts and keys and takes them away again, while another process serves the ledger.
 */
export function startRevoking(database: string, env: Env) {
  const takenAway: TakenAway = { keys: [], accounts: [] };
  const run = <Result>(work: (operator: Administrator) => Promise<Result>) => command(database, env, work);
  const running = repeat(async () => {
    const { id: accountId } = await run((operator) => operator.createAccount({ name: 'B' }));
    const { id } = await run((operator) => operator.createKey({ accountId }));
    await run((operator) => operator.revokeKey(id));
    takenAway.keys.push(id);
    await run((operator) => operator.setAccountStatus(accountId, 'suspended'));
    takenAway.accounts.push(accountId);
  });
  return {
    async stop(): Promise<TakenAway> {
      await running.stop();
      return takenAway;
    },
  };
}
