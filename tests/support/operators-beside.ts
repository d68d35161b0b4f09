import { setTimeout } from 'node:timers/promises';
import { parseUsd } from '#shared/money.ts';
import { takingTurns } from '#shared/taking-turns.ts';
import { openOperator } from '../../gateway/cli/on-database.ts';
import type { Administrator } from '../../gateway/operations/operator/operator.ts';
import type { Env } from './gateway-process.ts';

const grant = parseUsd('0.001');
/** About as often as command lines could. */
const pauseMs = 200;

const inTurn = takingTurns();

/** A command in its turn: two of one process would wait for each other's lock on a file of SQLite. */
const command = <Result>(database: string, env: Env, run: (operator: Administrator) => Promise<Result>) =>
  inTurn(() => oneCommand(database, env, run));

/** The books are opened for it and closed after it, by another process than the one that serves them. */
async function oneCommand<Result>(database: string, env: Env, run: (operator: Administrator) => Promise<Result>) {
  const { operator, close } = await openOperator({ database, env, now: Date.now, mayCreate: false });
  try {
    return await run(operator);
  } finally {
    await close();
  }
}

/** One after the other until `stop`, which lets the last one finish and tells of a failure. */
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

/** An operator who grants credits beside whoever serves the books. */
export function startGranting(database: string, env: Env, accountId: string) {
  let granted = 0n;
  const running = repeat(async () => {
    await command(database, env, (operator) => operator.grant({ accountId, amount: grant }));
    granted += grant;
  });
  return {
    /** Returns what was granted. */
    async stop(): Promise<bigint> {
      await running.stop();
      return granted;
    },
  };
}

/** Keys that were revoked and accounts that were suspended. */
export interface TakenAway {
  readonly keys: string[];
  readonly accounts: string[];
}

/** An operator who makes accounts and keys beside whoever serves the books, and takes them away again. */
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
