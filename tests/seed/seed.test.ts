import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { lockDataFolder } from '../../electron/core/core.ts';
import { checkLedger } from '../../gateway/ledger/check-ledger.ts';
import { openDatabase } from '../../gateway/storage/open-database.ts';
import { readPdf } from '../support/read-pdf.ts';
import { type SeedOptions, seed } from './seed.ts';

const folder = mkdtempSync(join(tmpdir(), 'portico-seed-'));
const inFolder = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const small: Omit<SeedOptions, 'dataFolder'> = {
  conversations: 20,
  messages: 300,
  long: 120,
  requests: 400,
  seed: 7,
  force: false,
  nowMs: Date.UTC(2026, 10, 20, 12),
};

function read<Row>(name: string, statement: string): Row[] {
  const db = new Sqlite(join(inFolder(name), 'portico.db'), { readonly: true });
  db.exec(`attach '${join(inFolder(name), 'gateway.db')}' as gateway`);
  const rows = db.prepare(statement).all() as Row[];
  db.close();
  return rows;
}

beforeAll(() => seed({ ...small, dataFolder: inFolder('a') }));

test("the ledger is exact, and every answer's cost is what its request was charged", async () => {
  const gatewayDb = await openDatabase(join(inFolder('a'), 'gateway.db'));
  const report = await checkLedger(gatewayDb);
  await gatewayDb.db.destroy();
  expect(report).toMatchObject({ ok: true, sums: { requests: 400 } });
  const answers = read<{ cost_usd: string; charge: number; conversation: number }>(
    'a',
    `select m.cost_usd, r.charge, r.conversation_id = m.conversation_id as conversation from messages m
      left join gateway.requests r on r.id = m.request_id where m.role = 'assistant'`,
  );
  expect(answers.length).toBeGreaterThan(150);
  for (const answer of answers) {
    expect(parseUsd(answer.cost_usd)).toBe(BigInt(answer.charge));
    expect(answer.conversation).toBe(1);
  }
});

test('what each conversation cost is the sum of its requests in the ledger', () => {
  const strays = `select s.id from spend s left join gateway.requests r on r.id = s.request_id
    where r.id is null or r.conversation_id <> s.conversation_id`;
  expect(read('a', strays)).toEqual([]);
  const counts = `select (select count(*) from spend) = (select count(*) from messages where role = 'assistant') as all_in`;
  expect(read('a', counts)).toEqual([{ all_in: 1 }]);
});

test('some questions come with a picture, a text or a PDF, each a valid file stored under its hash', async () => {
  const named = read<{ id: string; kind: string; bytes: number; tokens: number }>(
    'a',
    `select distinct json_extract(file.value, '$.id') as id, json_extract(file.value, '$.kind') as kind,
      json_extract(file.value, '$.bytes') as bytes, json_extract(file.value, '$.tokens') as tokens
      from messages, json_each(messages.attachments) file where role = 'user'`,
  );
  expect(new Set(named.map(({ kind }) => kind))).toEqual(new Set(['image', 'text', 'pdf']));
  for (const { id, kind, bytes, tokens } of named) {
    const path = join(inFolder('a'), 'attachments', id.slice(0, 2), id);
    const file = readFileSync(path);
    expect(createHash('sha256').update(file).digest('hex')).toBe(id);
    expect({ bytes: file.length, paid: tokens > 0 }).toEqual({ bytes, paid: true });
    if (kind === 'pdf') expect((await readPdf(path)).text.length).toBeGreaterThan(100);
    // The pixels are those of a complete picture: 320 × 180, three bytes each, and a byte before each row.
    if (kind === 'image') expect(inflateSync(pixels(file))).toHaveLength((320 * 3 + 1) * 180);
  }
});
const pixels = (png: Buffer) => {
  const begin = png.indexOf('IDAT') + 4;
  return png.subarray(begin, begin + png.readUInt32BE(begin - 8));
};

test('there are as many conversations and messages as requested, in valid trees, over months', () => {
  expect(read('a', 'select count(*) as n from conversations')).toEqual([{ n: 21 }]);
  expect(read('a', 'select count(*) as n from messages')).toEqual([{ n: 420 }]);
  const [branches] = read<{ n: number }>(
    'a',
    `select count(*) as n from (select 1 from messages where parent_id is not null and role = 'assistant'
      group by parent_id having count(*) > 1)`,
  );
  expect(branches?.n).toBeGreaterThan(3);
  expect(read('a', 'select count(distinct model) > 3 as ok from messages')).toEqual([{ ok: 1 }]);
  const strays = `select 1 from conversations c left join messages m on m.id = c.active_leaf where m.id is null`;
  expect(read('a', strays)).toEqual([]);
});

test('the same seed gives the same words and costs', async () => {
  await seed({ ...small, dataFolder: inFolder('b') });
  const words = 'select text, cost_usd, request_id from messages order by seq';
  expect(read('b', words)).toEqual(read('a', words));
});

test('a folder with data, a folder in use and impossible counts are refused with an explanation', async () => {
  await expect(seed({ ...small, dataFolder: inFolder('a') })).rejects.toThrow(/has data already .* add --force/);
  const unlock = lockDataFolder(inFolder('used'));
  await expect(seed({ ...small, dataFolder: inFolder('used') })).rejects.toThrow(/already running/);
  unlock();
  await expect(seed({ ...small, messages: 30, dataFolder: inFolder('c') })).rejects.toThrow(/at least twice/);
  await expect(seed({ ...small, requests: 3, dataFolder: inFolder('c') })).rejects.toThrow(
    /--requests must be at least/,
  );
});
