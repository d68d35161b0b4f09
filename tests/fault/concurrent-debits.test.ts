import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { postgresPrograms, startPostgres, type TestPostgres } from '../gateway-doubles/start-postgres.ts';
import { type Answer, ask } from '../support/chat-load.ts';
import { figure } from '../support/figures.ts';
import { builtGateway, type GatewayProgram } from '../support/gateway-process.ts';
import { startGranting } from '../support/operators-beside.ts';
import { prepaidAccount } from '../support/prepaid-account.ts';
import { openPricedUpstream, pricedModel } from '../support/priced-upstream.ts';
import { settledLedger } from '../support/settled-ledger.ts';

/** `PORTICO_LONG=1` makes 10,000 debits; the ordinary run makes fewer. */
const debits = process.env.PORTICO_LONG ? 10_000 : 300;
const atOnce = 128;
const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };

const programs = postgresPrograms();
let postgres: TestPostgres | null = null;
let gateway: GatewayProgram;
const folder = mkdtempSync(join(tmpdir(), 'portico-debits-'));
beforeAll(async () => {
  gateway = await builtGateway();
  if (programs) postgres = await startPostgres(programs);
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** An SQLite file has one server, and operators beside it. PostgreSQL can have any number of servers. */
const engines = [
  { engine: 'SQLite', servers: 1, operators: 1, database: async () => join(folder, 'ledger.db') },
  { engine: 'PostgreSQL', servers: 4, operators: 0, database: async () => (await postgres?.createDatabase()) ?? '' },
].filter(({ engine }) => engine === 'SQLite' || programs !== null);

const counted = { promptTokens: 7, completionTokens: 40 };

test.each(engines)(
  `${debits} debits of one account by $servers servers and $operators operators at once end exact on $engine`,
  {
    timeout: 1_200_000,
  },
  async ({ engine, servers, operators, database: fresh }) => {
    const database = await fresh();
    const upstream = await openPricedUpstream(() => counted);
    const settings = { env: { ...env, ...upstream.env } };
    const probe = await prepaidAccount(database, env, '1', 1);
    const gateways = [await gateway.start(database, settings)];
    while (gateways.length < servers) gateways.push(await gateway.start(database, settings));
    const urls = gateways.map(({ url }) => url);

    const { hold, cost } = await parsePricing(urls[0] ?? '', probe.keys[0] ?? '');
    expect(hold).toBeGreaterThan(cost);
    // The balance pays for exactly this many debits: after the last one it is one nano-dollar less than the next hold.
    const balance = BigInt(debits) * cost + hold - 1n;
    const { id, keys } = await prepaidAccount(database, env, formatUsd(nanoUsd(balance)), 24);

    const granting = operators > 0 ? startGranting(database, env, probe.id) : null;
    let asked = 0;
    const answers: Answer[] = [];
    const client = async () => {
      while (asked < debits * 1.1) {
        asked += 1;
        const url = urls[asked % urls.length] ?? '';
        answers.push(await ask({ url, key: keys[asked % keys.length] ?? '', stream: asked % 2 === 0 }));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, client));
    // Some requests were refused only because others held the remaining credits for a moment, so the
    // rest is used up one by one.
    let last: Answer = { kind: 'complete', reported: { requestId: '', costUsd: '' } };
    while (last.kind === 'complete') {
      last = await ask({ url: urls[0] ?? '', key: keys[0] ?? '', stream: false });
      answers.push(last);
    }
    const granted = (await granting?.stop()) ?? 0n;
    expect(granted > 0n).toBe(operators > 0);
    for (const gateway of gateways) expect(await gateway.kill('SIGTERM')).toBe(0);
    await upstream.close();

    const count = (kind: Answer['kind']) => answers.filter((answer) => answer.kind === kind).length;
    expect({ complete: count('complete'), broken: count('broken') }).toEqual({ complete: debits, broken: 0 });
    expect(count('refused')).toBeGreaterThan(0);
    const reported = answers.flatMap((answer) => (answer.kind === 'complete' ? [answer.reported] : []));
    const gatewayDb = await settledLedger(database, env, reported);
    expect(gatewayDb).toMatchObject({ problems: [], wrong: [], running: 0, held: '0' });
    expect(gatewayDb.accounts.find((account) => account.id === probe.id)).toMatchObject({
      granted: parseUsd('1') + granted,
      held: 0n,
    });
    const mine = gatewayDb.entries.filter((entry) => entry.account_id === id);
    expect(mine).toHaveLength(debits);
    expect(mine.every(({ balance_after: after }) => after >= hold - 1n)).toBe(true);
    expect(gatewayDb.accounts.find((account) => account.id === id)).toMatchObject({
      balance: hold - 1n,
      used: BigInt(debits) * cost,
      held: 0n,
    });
    figure('exact ledger', `${debits} debits on ${engine}, exact`);
  },
);

/** Returns the hold and the cost of one request, by sending one. */
async function parsePricing(url: string, key: string) {
  const quoted = await fetch(`${url}/v1/quote`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: pricedModel, prompt: 'Say hello.', max_tokens: 200 }),
  });
  const { cost_usd: range } = (await quoted.json()) as { cost_usd: { high: string } };
  const answer = await ask({ url, key, stream: false });
  if (answer.kind !== 'complete') throw new Error('the first request was not answered');
  return { hold: parseUsd(range.high), cost: parseUsd(answer.reported.costUsd) };
}
