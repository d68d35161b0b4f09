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
