import { expect } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import type { Env, GatewayProgram } from './gateway-process.ts';

const grant = '0.001';

/** Command lines that write to the books beside whoever serves them, one after another in each of several rows. */
export function startGranting(gateway: GatewayProgram, database: string, env: Env, account: string, rows: number) {
  let going = true;
  let granted = 0n;
  const row = async () => {
    while (going) {
      const run = await gateway.run(['credit', 'grant', account, grant, '--db', database], { env });
      expect(run).toMatchObject({ code: 0, stderr: '' });
      granted += parseUsd(grant);
    }
  };
  const running = Promise.all(Array.from({ length: rows }, row));
  // A failure is told by `stop`, not by a promise that nobody holds.
  running.catch(() => {});
  return {
    /** Lets each finish. Returns what they granted together. */
    async stop(): Promise<bigint> {
      going = false;
      await running;
      return granted;
    },
  };
}

/** Keys that were revoked and accounts that were suspended. */
export interface TakenAway {
  readonly keys: string[];
  readonly accounts: string[];
}

/** Command lines that make accounts and keys beside whoever serves the books, and take them away again. */
export function startRevoking(gateway: GatewayProgram, database: string, env: Env) {
  const takenAway: TakenAway = { keys: [], accounts: [] };
  let going = true;
  const run = async (...args: string[]) => {
    const done = await gateway.run([...args, '--db', database], { env });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    return done.last;
  };
  const running = (async () => {
    while (going) {
      const account = await run('account', 'create', '--name', 'B');
      await run('key', 'create', account);
      const [key = ''] = (await run('key', 'list', account)).split('\t');
      takenAway.keys.push(await run('key', 'revoke', key));
      takenAway.accounts.push(await run('account', 'suspend', account));
    }
  })();
  // A failure is told by `stop`, not by a promise that nobody holds.
  running.catch(() => {});
  return {
    /** Lets the last one finish. */
    async stop(): Promise<TakenAway> {
      going = false;
      await running;
      return takenAway;
    },
  };
}
