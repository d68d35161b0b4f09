import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, onPostgres } from '../../gateway-doubles/test-database.ts';
import { fillEarlier } from './earlier-file.ts';
import { measureLedger } from './measure-ledger.ts';

test('a ledger of the previous version, filled with SQL, is migrated, served and proven exact', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-large-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const database = onPostgres() ? await emptyDatabase() : join(folder, 'ledger.db');
  const now = Date.now();
  const seen: number[] = [];
  const extent = { requests: 4_001, accounts: 9, days: 7, now };
  await fillEarlier(database, '0011-provenance', extent, (requests) => void seen.push(requests));
  expect([seen.length, seen.at(-1)]).toEqual([7, 4_001]);
  const steps: string[] = [];
  await measureLedger(database, now, ({ step }) => void steps.push(step));
  expect(steps).toContain('ledger verify');
});
