import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { checkLedger } from '../../gateway/ledger/check-ledger.ts';
import { awaitEarlierEvents } from '../../gateway/ledger/sqlite/unflushed-events.ts';
import { openGateway } from '../../gateway/open-gateway.ts';
import { type GatewayDb, openDatabase } from '../../gateway/storage/open-database.ts';
import { seeded } from '../seed/random.ts';
import { figure } from '../support/figures.ts';
import { builtGateway } from '../support/gateway-process.ts';
import {
  createDisk,
  type Fate,
  powerLossMissing,
  readTrace,
  recorderFor,
  type TraceEvent,
} from '../support/power-loss.ts';
import { openPricedUpstream, pricedModel } from '../support/priced-upstream.ts';

/** `PORTICO_LONG=1` asks more, so that the log is checkpointed, and cuts at 400 points; the ordinary run at 50. */
const long = Boolean(process.env.PORTICO_LONG);
const questions = long ? 1_000 : 60;
const points = long ? 400 : 50;

const missing = powerLossMissing();
const workplace = mkdtempSync(join(tmpdir(), 'portico-power-'));
afterAll(() => rmSync(workplace, { recursive: true, force: true }));

interface Asked {
  readonly index: number;
  /** When its question left for the provider: a moment at which the books must be in order. */
  readonly dispatchedAt: number;
  /** When the first byte of its answer left for the client: before that, its hold is durable (decision 007). */
  readonly begunAt: number;
  /** When its whole answer left for the client: before that, its settlement is durable. */
  readonly answeredAt: number;
  readonly cost: bigint;
}

let events: TraceEvent[] = [];
let asked: Asked[] = [];
/** What commands have said beside the server, and what has to be in the books from then on. */
interface Ordered {
  readonly saidAt: number;
  readonly what: string;
  readonly id: string;
}

let ordered: Ordered[] = [];
let key = '';
let keySaidAt = 0;

describe.skipIf(missing !== null)(`a power cut at any moment${missing ? ` (not here: ${missing})` : ''}`, () => {
  beforeAll(async () => {
    const folder = join(workplace, 'data');
    mkdirSync(folder);
    const database = join(folder, 'books.db');
    const recorder = recorderFor(folder, workplace);
    const program = await builtGateway();
    const upstream = await openPricedUpstream((call) => ({ promptTokens: 10 + (call % 5), completionTokens: 4 }));
    const env = { ...recorder.env, ...upstream.env };
    const run = async (...args: string[]) => (await program.run([...args, '--db', database], { env })).last;
    const account = await run('account', 'create', '--name', 'A', '--plan', 'enterprise');
    await run('credit', 'grant', account, '5');
    key = await run('key', 'create', account, '--scope', 'chat,models,account');
    const gateway = await program.start(database, { env });
    const answers: { index: number; id: string; requestId: string; cost: bigint }[] = [];
    let next = 0;
    const client = async () => {
      for (let index = next++; index < questions; index = next++) {
        const response = await fetch(`${gateway.url}/chat`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            model: pricedModel,
            prompt: `question ${index};`,
            max_tokens: 50,
            stream: index % 2 === 0,
            metadata: { question: String(index) },
          }),
        });
        const text = await response.text();
        const [last] = [...text.matchAll(/\{[^\n]*"cost_usd"[^\n]*\}/g)].map(([json]) => JSON.parse(json));
        const requestId = response.headers.get('x-request-id') ?? '';
        answers.push({ index, id: last.id, requestId, cost: parseUsd(last.cost_usd) });
      }
    };
    const said: Omit<Ordered, 'saidAt'>[] = [];
    let answering = true;
    /** Grants, revocations and suspensions by other processes, while the server answers. */
    const commands = async () => {
      for (let turn = 0; answering; turn += 1) {
        const granted = await run('credit', 'grant', account, '0.001');
        said.push({ what: 'grant', id: granted });
        if (turn % 3 > 0) continue;
        const other = await run('account', 'create', '--name', 'B');
        await run('key', 'create', other);
        const [revoked] = (await run('key', 'list', other)).split('\t');
        said.push({ what: 'revocation', id: await run('key', 'revoke', revoked ?? '') });
        said.push({ what: 'suspension', id: await run('account', 'suspend', other) });
      }
    };
    const commanding = commands();
    await Promise.all(Array.from({ length: 6 }, client));
    answering = false;
    await commanding;
    expect(await gateway.kill('SIGTERM')).toBe(0);
    await upstream.close();
    events = readTrace(recorder.trace);
    const spoken = events.flatMap(({ kind, data }, at) =>
      kind === 'said' ? [{ at, text: data.toString('latin1') }] : [],
    );
    const firstWith = (...words: string[]) => {
      const found = spoken.find(({ text }) => words.every((word) => text.includes(word)));
      if (!found) throw new Error(`nothing was said with ${words.join(' and ')}`);
      return found.at;
    };
    keySaidAt = firstWith(key);
    const words = { grant: 'granted to', revocation: 'Revoked.', suspension: 'Suspended.' } as Record<string, string>;
    ordered = said.map((one) => ({ ...one, saidAt: firstWith(one.id, words[one.what] ?? '') }));
    asked = answers.map(({ index, id, requestId, cost }) => ({
      index,
      cost,
      dispatchedAt: firstWith(`question ${index};`),
      begunAt: firstWith('HTTP/1.1 200', requestId),
      answeredAt: firstWith('"cost_usd"', id),
    }));
  }, 1_800_000);

  /** Moments right after something left the process: the strictest there are. */
  function moments(): number[] {
    const all = [
      ...new Set([
        ...asked.flatMap(({ dispatchedAt, begunAt, answeredAt }) => [dispatchedAt, begunAt, answeredAt]),
        ...ordered.map(({ saidAt }) => saidAt),
      ]),
    ];
    all.sort((one, two) => one - two);
    const step = Math.max(1, all.length / points);
    return Array.from({ length: Math.ceil(all.length / step) }, (_, index) => all[Math.floor(index * step)] ?? 0);
  }

  /** Plays the record and looks at what each cut leaves. Returns what was promised and is not there. */
  async function lostAt(cuts: readonly number[], fate: (cut: number) => Fate, counts?: (sync: TraceEvent) => boolean) {
    const disk = createDisk(counts);
    const lost: string[] = [];
    let at = 0;
    for (const [number, cut] of cuts.entries()) {
      for (; at <= cut; at += 1) {
        const event = events[at];
        if (event) disk.apply(event);
      }
      const folder = join(workplace, `cut-${number}`);
      disk.cut(folder, fate(cut));
      const broken = await promisesBroken(join(folder, 'books.db'), cut).catch((error: Error) => [error.message]);
      lost.push(...broken.map((what) => `cut ${cut}: ${what}`));
      rmSync(folder, { recursive: true, force: true });
    }
    return lost;
  }

  async function promisesBroken(database: string, cut: number): Promise<string[]> {
    const gatewayDb = await openDatabase(database);
    await awaitEarlierEvents(gatewayDb.db);
    const rows = await gatewayDb.db.selectFrom('requests').selectAll().execute();
    const report = await checkLedger(gatewayDb);
    const missing = await notOrdered(gatewayDb.db, cut);
    await gatewayDb.db.destroy();
    const byQuestion = new Map(rows.map((row) => [JSON.parse(row.metadata).question, row]));
    const broken = [
      ...missing,
      ...report.checks.flatMap(({ name, problems }) => problems.map(({ where }) => `${name}: ${where}`)),
    ];
    for (const { index, begunAt, answeredAt, cost } of asked) {
      const row = byQuestion.get(String(index));
      if (begunAt <= cut && !row) broken.push(`the hold of question ${index}`);
      if (answeredAt <= cut && (row?.status !== 'succeeded' || row.charge !== cost)) {
        broken.push(`the settlement of question ${index}`);
      }
    }
    return broken;
  }

  /** What commands had said by then and is not in the books. */
  async function notOrdered(db: GatewayDb, cut: number): Promise<string[]> {
    const entries = await db.selectFrom('ledger_entries').select('id').execute();
    const revoked = await db.selectFrom('api_keys').select('id').where('revoked_at', 'is not', null).execute();
    const suspended = await db.selectFrom('accounts').select('id').where('status', '=', 'suspended').execute();
    const there = new Set([...entries, ...revoked, ...suspended].map(({ id }) => id));
    return ordered.flatMap(({ saidAt, what, id }) => (saidAt <= cut && !there.has(id) ? [`the ${what} ${id}`] : []));
  }

  const nothingKept = (): Fate => () => 'lost';
  const byChance = (cut: number): Fate => {
    const random = seeded(cut);
    return () => random.pick(['lost', 'kept', 'torn'] as const);
  };

  test(`loses no hold and no settlement that anyone was told of, where all that was not synced is lost (${points} cuts)`, {
    timeout: 1_800_000,
  }, async () => {
    expect(moments().length).toBeGreaterThanOrEqual(50);
    expect(await lostAt(moments(), nothingKept)).toEqual([]);
    figure('power loss', `${points} cuts of the books, 0 lost`);
  });

  test('nor where parts of it reached the disk, torn and out of order', { timeout: 1_800_000 }, async () => {
    expect(await lostAt(moments(), byChance)).toEqual([]);
  });

  test('and the key that was shown still opens the gateway', async () => {
    const disk = createDisk();
    for (const event of events.slice(0, keySaidAt + 1)) disk.apply(event);
    const folder = join(workplace, 'key');
    disk.cut(folder, nothingKept());
    const gateway = await openGateway({ database: join(folder, 'books.db') });
    const headers = { authorization: `Bearer ${key}` };
    const answer = await gateway.fetch(new Request('http://127.0.0.1/account', { headers }));
    await gateway.close();
    expect(answer.status).toBe(200);
  });

  test('control: without our own sync of the log, as plain synchronous=NORMAL has it, the same cuts do lose', {
    timeout: 1_800_000,
  }, async () => {
    const lost = await lostAt(moments(), nothingKept, (sync) => sync.bySqlite);
    expect(lost.filter((what) => what.includes('the settlement of')).length).toBeGreaterThan(0);
    expect(lost.filter((what) => what.includes('the hold of')).length).toBeGreaterThan(0);
    figure('power loss', `the control without our sync lost ${lost.length}`);
  });
});
