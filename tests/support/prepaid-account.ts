import { parseUsd } from '#shared/money.ts';
import { allScopes } from '../../gateway/access/auth/scopes.ts';
import { openOperator } from '../../gateway/cli/on-database.ts';
import type { Env } from './gateway-process.ts';

/**
 * Creates an account on the largest plan with credits and keys that may read it, as the command line
 * does. Creates the ledger too.
 */
export async function prepaidAccount(database: string, env: Env, usd: string, keyCount: number) {
  const { operator, close } = await openOperator({ database, env, now: Date.now, mayCreate: true });
  const { id } = await operator.createAccount({ name: 'Load', plan: 'enterprise' });
  await operator.grant({ accountId: id, amount: parseUsd(usd) });
  const keys: string[] = [];
  for (let made = 0; made < keyCount; made += 1) {
    keys.push((await operator.createKey({ accountId: id, scopes: allScopes })).key);
  }
  await close();
  return { id, keys };
}
