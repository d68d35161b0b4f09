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

/** Returns the name of a staged copy. It survives a crash, and the next start finds it and finishes the restore. */
export const stagedName = (name: string): string => `${name}.next`;

/** Lists the copies in a folder, newest first. Other files are ignored. */
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

/** Returns a free file name. The name may be taken if the clock was set back. */
export function freeName(folder: string, kind: LedgerBackup['kind'], timeMs: number): string {
  const name = datedName(prefixes[kind], timeMs);
  const taken = [name, removedName(name)].some((candidate) => existsSync(join(folder, candidate)));
  return taken ? freeName(folder, kind, timeMs + 1) : name;
}

/** Finishes a restore that was interrupted before the ledger was replaced. `note` runs before the replacement. */
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
