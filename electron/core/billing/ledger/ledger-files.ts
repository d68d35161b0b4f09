import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerBackup } from '#shared/contract/app/ledger.ts';
import { datedName, readDatedName, removedName } from '../../storage/database/dated-names.ts';

const prefixes: Readonly<Record<LedgerBackup['kind'], string>> = {
  manual: 'ledger',
  'before-restore': 'before-restore',
};
const kinds = new Map(Object.entries(prefixes).map(([kind, prefix]) => [prefix, kind as LedgerBackup['kind']]));

export const isCopy = (name: string): boolean => kinds.has(readDatedName(name)?.prefix ?? '');

export const ledgerFolder = (dataFolder: string): string => join(dataFolder, 'backups', 'ledger');

/** What a copy is called that waits to take the place of the books, wherever the app was ended meanwhile. */
export const stagedName = (name: string): string => `${name}.next`;

/** The copies in a folder, newest first; other files are ignored. */
export function listCopies(folder: string): LedgerBackup[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return readdirSync(folder)
    .flatMap((name): LedgerBackup[] => {
      const read = readDatedName(name);
      const kind = kinds.get(read?.prefix ?? '');
      return read && kind ? [{ name, kind, createdAt: read.createdAt, bytes: statSync(join(folder, name)).size }] : [];
    })
    .sort((a, b) => b.createdAt - a.createdAt);
}

/** A name that no copy has: a clock may have been set back. */
export function freeName(folder: string, kind: LedgerBackup['kind'], timeMs: number): string {
  const name = datedName(prefixes[kind], timeMs);
  const taken = [name, removedName(name)].some((each) => existsSync(join(folder, each)));
  return taken ? freeName(folder, kind, timeMs + 1) : name;
}

/** Goes on with a restore that was broken off: until then the books are as they were. `note` comes before they are replaced. */
export async function finishRestore(
  folder: string,
  database: string,
  { now, note }: { readonly now: () => number; readonly note: () => Promise<unknown> },
): Promise<void> {
  const staged = existsSync(folder)
    ? readdirSync(folder).find((name) => isCopy(name.replace(/\.next$/, '')) && name.endsWith('.next'))
    : undefined;
  if (staged === undefined) return;
  await note();
  const { replaceGatewayDb } = await import('#gateway/operations/backup/replace-gateway-db.ts');
  const setAside = join(folder, freeName(folder, 'before-restore', now()));
  await replaceGatewayDb({ staged: join(folder, staged), database, setAside });
}
