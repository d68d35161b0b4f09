import { allScopes } from '#gateway/access/auth/scopes.ts';
import { checkLedger } from '#gateway/ledger/check-ledger.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { openDatabase } from '#gateway/storage/open-database.ts';
import { largestAccount } from './fill-ledger.ts';

/** The duration of a step. Other work on the machine makes the elapsed time longer, but hardly the processor time. */
export interface Taken {
  readonly step: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The process's peak memory up to the end of the step. */
  readonly memoryMb: number;
}

const day = (now: number, back: number) => new Date(now - back * 86_400_000).toISOString().slice(0, 10);

/** The requests of the largest account's owner. */
const questions = (now: number) =>
  [
    ['dashboard: a year by day', `/v1/usage?group_by=day&start=${day(now, 364)}`],
    ['dashboard: a year by model', `/v1/usage?group_by=model&start=${day(now, 364)}`],
    ['usage of a period within days', `/v1/usage?start=${Math.floor(now / 1000) - 300 * 86_400}`],
    [
      'dashboard: a year by local day and model',
      `/v1/usage?interval=day&time_zone=Asia/Kolkata&start=${day(now, 364)}&end=${day(now, 0)}`,
    ],
    ['what caching saved in a year', `/v1/usage?savings=true&start=${day(now, 364)}`],
    ['account', '/account'],
    ['newest requests', '/v1/requests?limit=100'],
    ['oldest requests', '/v1/requests?limit=100&order=asc'],
    ['requests of a day half a year ago', `/v1/requests?limit=100&start=${day(now, 181)}&end=${day(now, 180)}`],
    ['a request by its client_request_id', `/v1/requests?client_request_id=answer-4000&start=${day(now, 364)}`],
    ['requests of a conversation', '/v1/requests?conversation_id=conv_100'],
    ['newest credits', '/v1/credits?limit=100'],
    ['oldest credits', '/v1/credits?limit=100&order=asc'],
    ['credits by a rare type', '/v1/credits?limit=100&type=grant'],
    ['requests by a model that there is not', '/v1/requests?model=nothing'],
  ] as const;

/** Migrates, opens, queries and checks the ledger, each once and in this order. */
export async function measureLedger(database: string, now: number, onStep: (taken: Taken) => void): Promise<void> {
  async function timed<T>(step: string, work: () => Promise<T>): Promise<T> {
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    const value = await work();
    const { user, system } = process.cpuUsage(cpu);
    const seconds = (performance.now() - start) / 1000;
    onStep({ step, seconds, cpuSeconds: (user + system) / 1e6, memoryMb: process.resourceUsage().maxRSS / 1024 });
    return value;
  }

  const migrated = await timed('migration', () => openDatabase(database));
  // In a large ledger its monthly quota is used up, so it gets the largest plan.
  await migrated.db.updateTable('accounts').set({ plan: 'enterprise' }).where('id', '=', largestAccount).execute();
  await migrated.db.destroy();
  const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };
  const gateway = await timed('open', () => openGateway({ database, env, sandboxPace: 0 }));
  const { key } = await gateway.operator.createKey({ accountId: largestAccount, scopes: allScopes });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await gateway.fetch(new Request(`http://127.0.0.1${path}`, { headers, ...init }));
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.text();
  };
  const body = JSON.stringify({ model: 'sandbox/echo', prompt: 'hi' });
  await timed('first answer', () => ask('/chat', { method: 'POST', body }));
  await timed('second answer', () => ask('/chat', { method: 'POST', body }));
  for (const [step, path] of questions(now)) await timed(step, () => ask(path));
  await gateway.close();
  const gatewayDb = await openDatabase(database);
  const report = await timed('ledger verify', () => checkLedger(gatewayDb));
  await gatewayDb.db.destroy();
  if (!report.ok) throw new Error(`the books are not exact: ${JSON.stringify(report.checks)}`);
}
