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

/**
 * `PORTICO_LONG=1` asks more questions, so that the log is checkpointed, and cuts at 400
 * points; the ordinary run at 50.
 */
const long = Boolean(process.env.PORTICO_LONG);
const questions = long ? 1_000 : 60;
const points = long ? 400 : 50;

const missing = powerLossMissing();
const workplace = mkdtempSync(join(tmpdir(), 'portico-power-'));
afterAll(() => rmSync(workplace, { recursive: true, force: true }));

interface Asked {
  readonly index: number;
  /** The event with which its question left for the provider. The ledger must be consistent at this moment, too. */
  readonly dispatchedAt: number;
  /**
   * The event with which the first byte of its answer left for the client. Before that, its hold
   * is durable (decision 007).
   */
  readonly begunAt: number;
  /** The event with which its complete answer left for the client. Before that, its settlement is durable. */
  readonly answeredAt: number;
  readonly cost: bigint;
}

let events: TraceEvent[] = [];
let asked: Asked[] = [];
/** What commands beside the server have acknowledged, so the ledger must contain it from then on. */
interface Ordered {
  readonly acknowledgedAt: number;
  readonly kind: string;
  readonly id: string;
}

let ordered: Ordered[] = [];
let key = '';
let keyShownAt = 0;

describe.skipIf(missing !== null)(`a power cut at any moment${missing ? ` (not here: ${missing})` : ''}`, () => {
  beforeAll(async () => {
    const folder = join(workplace, 'data');
    mkdirSync(folder);
    const database = join(folder, 'ledger.db');
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
    const commandsRun: Omit<Ordered, 'acknowledgedAt'>[] = [];
    let answering = true;
    /** Grants, revocations and suspensions by other processes while the server answers. */
    const commands = async () => {
      for (let count = 0; answering; count += 1) {
        const granted = await run('credit', 'grant', account, '0.001');
        commandsRun.push({ kind: 'grant', id: granted });
        if (count % 3 > 0) continue;
        const other = await run('account', 'create', '--name', 'B');
        await run('key', 'create', other);
        const [revoked] = (await run('key', 'list', other)).split('\t');
        commandsRun.push({ kind: 'revocation', id: await run('key', 'revoke', revoked ?? '') });
        commandsRun.push({ kind: 'suspension', id: await run('account', 'suspend', other) });
      }
    };
    const commanding = commands();
    await Promise.all(Array.from({ length: 6 }, client));
    answering = false;
    await commanding;
    expect(await gateway.kill('SIGTERM')).toBe(0);
    await upstream.close();
    events = readTrace(recorder.trace);
    const sent = events.flatMap(({ kind, data }, index) =>
      kind === 'sent' ? [{ index, text: data.toString('latin1') }] : [],
    );
    const firstWith = (...words: string[]) => {
      const found = sent.find(({ text }) => words.every((word) => text.includes(word)));
      if (!found) throw new Error(`nothing was sent with ${words.join(' and ')}`);
      return found.index;
    };
    keyShownAt = firstWith(key);
    const words = { grant: 'granted to', revocation: 'Revoked.', suspension: 'Suspended.' } as Record<string, string>;
    ordered = commandsRun.map((command) => ({
      ...command,
      acknowledgedAt: firstWith(command.id, words[command.kind] ?? ''),
    }));
    asked = answers.map(({ index, id, requestId, cost }) => ({
      index,
      cost,
      dispatchedAt: firstWith(`question ${index};`),
      begunAt: firstWith('HTTP/1.1 200', requestId),
      answeredAt: firstWith('"cost_usd"', id),
    }));
  }, 1_800_000);

  /**
   * Returns the moments right after the process sent something. These are the strictest, because
   * the promise was just made.
   */
  function moments(): number[] {
    const all = [
      ...new Set([
        ...asked.flatMap(({ dispatchedAt, begunAt, answeredAt }) => [dispatchedAt, begunAt, answeredAt]),
        ...ordered.map(({ acknowledgedAt }) => acknowledgedAt),
      ]),
    ];
    all.sort((a, b) => a - b);
    const step = Math.max(1, all.length / points);
    return Array.from({ length: Math.ceil(all.length / step) }, (_, index) => all[Math.floor(index * step)] ?? 0);
  }

  /** Replays the recording and checks what each cut leaves. Returns everything that was promised and is missing. */
  async function lostAt(cuts: readonly number[], fate: (cut: number) => Fate, counts?: (sync: TraceEvent) => boolean) {
    const disk = createDisk(counts);
    const lost: string[] = [];
    let applied = 0;
    for (const [number, cut] of cuts.entries()) {
      for (; applied <= cut; applied += 1) {
        const event = events[applied];
        if (event) disk.apply(event);
      }
      const folder = join(workplace, `cut-${number}`);
      disk.cut(folder, fate(cut));
      const broken = await promisesBroken(join(folder, 'ledger.db'), cut).catch((error: Error) => [error.message]);
      lost.push(...broken.map((problem) => `cut ${cut}: ${problem}`));
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

  /** Returns everything that commands had acknowledged by then and that the ledger doesn't contain. */
  async function notOrdered(db: GatewayDb, cut: number): Promise<string[]> {
    const entries = await db.selectFrom('ledger_entries').select('id').execute();
    const revoked = await db.selectFrom('api_keys').select('id').where('revoked_at', 'is not', null).execute();
    const suspended = await db.selectFrom('accounts').select('id').where('status', '=', 'suspended').execute();
    const there = new Set([...entries, ...revoked, ...suspended].map(({ id }) => id));
    return ordered.flatMap(({ acknowledgedAt, kind, id }) =>
      acknowledgedAt <= cut && !there.has(id) ? [`the ${kind} ${id}`] : [],
    );
  }

  const keepNothing = (): Fate => () => 'lost';
  const byChance = (cut: number): Fate => {
    const random = seeded(cut);
    return () => random.pick(['lost', 'kept', 'torn'] as const);
  };

  test(`loses no acknowledged hold or settlement when all unsynced data is lost (${points} cuts)`, {
    timeout: 1_800_000,
  }, async () => {
    expect(moments().length).toBeGreaterThanOrEqual(50);
    expect(await lostAt(moments(), keepNothing)).toEqual([]);
    figure('power loss', `${points} cuts of the ledger, 0 lost`);
  });

  test('loses nothing when parts of the unsynced data reached the disk, torn and out of order', {
    timeout: 1_800_000,
  }, async () => {
    expect(await lostAt(moments(), byChance)).toEqual([]);
  });

  test('loses no key that was shown, and it still opens the gateway', async () => {
    const disk = createDisk();
    for (const event of events.slice(0, keyShownAt + 1)) disk.apply(event);
    const folder = join(workplace, 'key');
    disk.cut(folder, keepNothing());
    const gateway = await openGateway({ database: join(folder, 'ledger.db') });
    const headers = { authorization: `Bearer ${key}` };
    const answer = await gateway.fetch(new Request('http://127.0.0.1/account', { headers }));
    await gateway.close();
    expect(answer.status).toBe(200);
  });

  test('control: the same cuts lose data without our own sync of the log, as with plain synchronous=NORMAL', {
    timeout: 1_800_000,
  }, async () => {
    const lost = await lostAt(moments(), keepNothing, (sync) => sync.bySqlite);
    expect(lost.filter((item) => item.includes('the settlement of')).length).toBeGreaterThan(0);
    expect(lost.filter((item) => item.includes('the hold of')).length).toBeGreaterThan(0);
    figure('power loss', `the control without our sync lost ${lost.length}`);
  });
});
