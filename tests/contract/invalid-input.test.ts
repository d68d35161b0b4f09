import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contract } from '#shared/contract/index.ts';
import { figure } from '../support/figures.ts';
import { testCore } from '../support/test-core.ts';
import { transports } from './transports.ts';

/**
 * The number of calls with refused input that go through each host's adapter. `PORTICO_LONG=1` makes 20,000; the
 * ordinary run fewer, about thirty for each method.
 */
const messages = process.env.PORTICO_LONG ? 20_000 : 4_000;
const atOnce = 250;

interface Schema {
  safeParse(value: unknown): { success: boolean };
  readonly shape?: Readonly<Record<string, unknown>>;
}

/** The methods and the contract's schemas for their input. Methods without input are left out. */
const methods = Object.entries(contract).flatMap(([area, procedures]) =>
  Object.entries(procedures).flatMap(([method, procedure]) => {
    const { inputSchema } = (procedure as unknown as { '~orpc': { inputSchema?: Schema } })['~orpc'];
    return inputSchema ? [{ area, method, schema: inputSchema }] : [];
  }),
);

const scalar = fc.oneof(
  fc.constantFrom<unknown>('', '../../etc/passwd', 'x'.repeat(3000), '2026-02-30', 'javascript:1', '\u0000', '1e999'),
  fc.constantFrom<unknown>(0, -1, 0.5, 2 ** 53, 1e300, null, true, [], {}),
  fc.jsonValue({ maxDepth: 2 }),
);

/**
 * Generates any value, or an object with the method's own fields and wrong values, and with
 * fields that every object has.
 */
function getInput({ shape }: Schema): fc.Arbitrary<unknown> {
  const fields = [...Object.keys(shape ?? {}), 'constructor', 'toString', 'id'];
  return fc.oneof(scalar, { arbitrary: fc.dictionary(fc.constantFrom(...fields), scalar), weight: 4 });
}

/**
 * Generates about as many refused inputs for each method, from one seed. A method that accepts
 * almost anything has fewer.
 */
function invalidCalls(seed: number) {
  const runsPerMethod = Math.ceil((messages / methods.length) * 1.3);
  const calls = methods.flatMap(({ area, method, schema }) =>
    fc
      .sample(getInput(schema), { numRuns: runsPerMethod, seed })
      .map((input) => JSON.parse(JSON.stringify(input)) as unknown)
      .filter((input) => !schema.safeParse(input).success)
      .map((input) => ({ area, method, input })),
  );
  // The calls are shuffled, so that calls of all methods run at the same time.
  return (
    fc.sample(fc.shuffledSubarray(calls, { minLength: messages, maxLength: messages }), { numRuns: 1, seed })[0] ?? []
  );
}

/** Returns everything that the core has stored. */
function getStoredState(dataFolder: string): { files: string[]; rows: string } {
  const db = new Sqlite(join(dataFolder, 'portico.db'), { readonly: true });
  const hash = createHash('sha256');
  const tables = db.prepare("select name from sqlite_master where type = 'table' order by name").pluck().all();
  for (const table of tables) hash.update(JSON.stringify([table, db.prepare(`select * from "${table}"`).all()]));
  db.close();
  const files = readdirSync(dataFolder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => !file.startsWith('logs'),
  );
  return { files: files.sort(), rows: hash.digest('hex') };
}

describe.each(Object.entries(transports))('over a %s', (transport, connect) => {
  test('no input that the contract refuses reaches a method, changes anything or ends the core', async () => {
    const seed = Number(process.env.PORTICO_SEED ?? Date.now() % 2 ** 31);
    const calls = invalidCalls(seed);
    const called = new Set(calls.map(({ area, method }) => `${area}.${method}`));
    expect({ seed, calls: calls.length, methods: called.size }).toEqual({
      seed,
      calls: messages,
      methods: methods.length,
    });
    const tested = await testCore();
    const connected = await connect(tested.core);
    try {
      await connected.client.settings.update({ theme: 'dark' });
      const before = getStoredState(tested.dataFolder);
      const wrong: unknown[] = [];
      const areas = connected.client as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>;
      for (let from = 0; from < calls.length; from += atOnce) {
        const batch = calls.slice(from, from + atOnce);
        const answers = await Promise.allSettled(
          batch.map(async ({ area, method, input }) => areas[area]?.[method]?.(input)),
        );
        for (const [index, answer] of answers.entries()) {
          const code = answer.status === 'rejected' ? answer.reason.code : 'answered';
          if (code !== 'invalid_input') wrong.push({ ...batch[index], code });
        }
      }
      expect({ seed, wrong: wrong.slice(0, 5) }).toEqual({ seed, wrong: [] });
      expect({ seed, stored: getStoredState(tested.dataFolder) }).toEqual({ seed, stored: before });
      expect({ opened: tested.opened, questions: tested.questions }).toEqual({ opened: [], questions: [] });
      expect(await connected.client.settings.get()).toMatchObject({ theme: 'dark' });
      figure(
        'fuzz: IPC and WebSocket',
        `${messages} over a ${transport} to ${called.size} methods, all refused, nothing changed`,
      );
    } finally {
      await connected.close();
      await tested.close();
    }
  });
});
