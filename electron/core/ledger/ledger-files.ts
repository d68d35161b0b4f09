import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerBackup } from '#shared/contract/app/ledger.ts';

const prefixes: Readonly<Record<LedgerBackup['kind'], string>> = {
  manual: 'ledger',
  'before-restore': 'before-restore',
};
const named = /^(ledger|before-restore)-(\d{4})-(\d\d)-(\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.db$/;

export const isCopy = (name: string): boolean => named.test(name);

export const ledgerFolder = (dataFolder: string): string => join(dataFolder, 'backups', 'ledger');

/** What a removed copy is called until it is too late to put it back. */
export const removedName = (name: string): string => `${name}.removed`;

/** What a copy is called that waits to take the place of the books, wherever the app was ended meanwhile. */
export const stagedName = (name: string): string => `${name}.next`;

/** The copies in a folder, newest first; other files are ignored. */
export function listCopies(folder: string): LedgerBackup[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return readdirSync(folder)
    .flatMap((name): LedgerBackup[] => {
      const [, prefix, year, month, day, hour, minute, second, ms] = named.exec(name) ?? [];
      if (prefix === undefined) return [];
      const kind = prefix === prefixes.manual ? 'manual' : 'before-restore';
      const createdAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
      return [{ name, kind, createdAt, bytes: statSync(join(folder, name)).size }];
    })
    .sort((a, b) => b.createdAt - a.createdAt);
}

/** A name that no copy has: a clock may have been set back. */
export function freeName(folder: string, kind: LedgerBackup['kind'], timeMs: number): string {
  const name = `${prefixes[kind]}-${new Date(timeMs).toISOString().replace(/[:.]/g, '-')}.db`;
  const taken = [name, removedName(name)].some((each) => existsSync(join(folder, each)));
  return taken ? freeName(folder, kind, timeMs + 1) : name;
}

/** Goes on with a restore that was broken off: until then the books are as they were. */
export async function finishRestore(folder: string, database: string, now: () => number): Promise<void> {
  const staged = existsSync(folder)
    ? readdirSync(folder).find((name) => isCopy(name.replace(/\.next$/, '')) && name.endsWith('.next'))
    : undefined;
  if (staged === undefined) return;
  const { replaceBooks } = await import('#gateway/backup/replace-books.ts');
  const setAside = join(folder, freeName(folder, 'before-restore', now()));
  await replaceBooks({ staged: join(folder, staged), database, setAside });
}
