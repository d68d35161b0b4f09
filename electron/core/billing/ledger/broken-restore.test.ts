import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type LedgerDeps, ledgerFeature } from './ledger-feature.ts';

test('a restore that breaks off puts the ledger back and withdraws its note', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'portico-restore-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true }));
  const folder = join(dataFolder, 'backups', 'ledger');
  mkdirSync(folder, { recursive: true });
  const [database, name] = [join(dataFolder, 'gateway.db'), 'ledger-2026-01-01T00-00-00-000Z.db'];
  writeFileSync(database, 'the books');
  writeFileSync(join(folder, name), 'the copy');
  const events: string[] = [];
  const feature = ledgerFeature({
    dataFolder,
    now: Date.now,
    quiet: async () => {},
    whileClosed: async (work: () => Promise<void>) => work(),
    noteReplaced: async () => {
      events.push('noted');
      return async () => void events.push('taken back');
    },
    restored: async () => void events.push('restored'),
    background: {
      close: async () => {},
      async run(task: string, input: { copy: string; staged: string; database: string; setAside: string }) {
        if (task === 'stageLedger') return copyFileSync(input.copy, input.staged);
        renameSync(input.database, input.setAside);
        throw new Error('the thread died');
      },
    },
  } as unknown as LedgerDeps);
  await expect(feature.restore({ name })).rejects.toThrow('the thread died');
  expect(readFileSync(database, 'utf8')).toBe('the books');
  expect(readdirSync(folder)).toEqual([name]);
  expect(events).toEqual(['noted', 'taken back']);
});
