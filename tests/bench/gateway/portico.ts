import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openOperator } from '#gateway/cli/on-database.ts';
import { parseUsd } from '#shared/money.ts';
import { freePort } from '../../support/free-port.ts';
import { type Base, type Contender, gatewayCore, model } from './contenders.ts';
import { start } from './processes.ts';

const cli = fileURLToPath(new URL('../../../dist/gateway/cli.js', import.meta.url));
/**
 * Enough keys for the load to stay below the plan's limits for a key and a minute (3,000 requests, 4 million tokens).
 */
const keyCount = 60;
const pepper = 'the-bench-has-no-secrets-but-this-one';

/** The stand-alone gateway as it ships, with everything enabled and one account that pays for all. */
function portico(name: string, engine: 'sqlite' | 'postgres', instances: number): Contender {
  return {
    name,
    ...(engine === 'postgres' ? { needs: engine } : {}),
    async start(ground) {
      const database = await newDatabase(engine, ground);
      const keys = await openAccount(database);
      const ports = await Promise.all(Array.from({ length: instances }, freePort));
      const env = {
        PORTICO_KEY_PEPPER: pepper,
        OPENAI_API_KEY: 'sk-bench-upstream-key',
        OPENAI_BASE_URL: `${ground.upstreamUrl}/v1`,
      };
      // Several instances aren't pinned to one core, because the figures would then show that core: they share all
      // cores with the database and the load.
      const core = instances === 1 ? { core: gatewayCore } : {};
      const serve = (port: number) =>
        start(cli, ['serve', '--port', String(port), '--db', database], { port, env, ...core });
      const programs = await Promise.all(ports.map(serve));
      const databaseId = engine === 'postgres' ? (ground.postgres?.processId() ?? null) : null;
      return { name, target: { ports, keys, model }, programs, databaseId, syncsFirst: true };
    },
  };
}

async function newDatabase(engine: 'sqlite' | 'postgres', { folder, postgres }: Base): Promise<string> {
  if (engine === 'sqlite') return join(folder, 'ledger.db');
  if (!postgres) throw new Error('PostgreSQL does not run');
  return postgres.createDatabase();
}

async function openAccount(database: string): Promise<string[]> {
  const env = { PORTICO_KEY_PEPPER: pepper };
  const { operator, close } = await openOperator({ database, env, now: Date.now, mayCreate: true });
  try {
    const { id: accountId } = await operator.createAccount({ name: 'bench', plan: 'enterprise' });
    await operator.grant({ accountId, amount: parseUsd('1000000') });
    const keys: string[] = [];
    while (keys.length < keyCount) keys.push((await operator.createKey({ accountId })).key);
    return keys;
  } finally {
    await close();
  }
}

export const porticos: readonly Contender[] = [
  portico('portico', 'sqlite', 1),
  portico('portico-pg', 'postgres', 1),
  portico('portico-pg-3', 'postgres', 3),
];
