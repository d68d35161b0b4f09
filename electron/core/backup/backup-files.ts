import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Backup } from '#shared/contract/app/backup.ts';
import { datedName, readDatedName } from '../storage/database/dated-names.ts';

export const keptDaily = 7;
export const keptWeekly = 4;
const keptSafety = 3;
const dayMs = 86_400_000;
const kinds: readonly string[] = ['auto', 'manual', 'before-restore'] satisfies Backup['kind'][];

export const nameAt = (kind: Backup['kind'], timeMs: number): string => datedName(kind, timeMs);

function readName(name: string): Pick<Backup, 'kind' | 'createdAt'> | null {
  const read = readDatedName(name);
  return read && kinds.includes(read.prefix)
    ? { kind: read.prefix as Backup['kind'], createdAt: read.createdAt }
    : null;
}

/** Returns the backups in a folder, newest first. Other files are ignored. */
export function listBackups(folder: string): Backup[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return readdirSync(folder)
    .flatMap((name): Backup[] => {
      const read = readName(name);
      if (!read) return [];
      const bytes = statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
      return [{ name, kind: read.kind, createdAt: read.createdAt, bytes }];
    })
    .sort((a, b) => b.createdAt - a.createdAt);
}

/** Returns the file names of removed backups that can be put back. */
export const listRemoved = (folder: string): string[] =>
  readdirSync(folder).flatMap((file) =>
    readName(file.replace(/\.removed$/, '')) && file.endsWith('.removed') ? file : [],
  );

/** Removes incomplete copies that a crash left. */
export function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) if (/\.part(-wal|-shm|-journal)?$/.test(name)) rmSync(join(folder, name));
}

/**
 * Returns the automatic backups to delete. Kept are the newest one of each of the last seven days, and of each of the
 * last four weeks that have one. Manual backups are kept until the user deletes them.
 */
export function outdated(backups: readonly Backup[]): Backup[] {
  const auto = backups.filter((backup) => backup.kind === 'auto').toSorted((a, b) => b.createdAt - a.createdAt);
  const getNewest = (spanMs: number, most: number) => {
    const spans = new Map<number, Backup>();
    for (const backup of auto) {
      const span = Math.floor(backup.createdAt / spanMs);
      if (!spans.has(span) && spans.size < most) spans.set(span, backup);
    }
    return [...spans.values()];
  };
  const kept = new Set([...getNewest(dayMs, keptDaily), ...getNewest(7 * dayMs, keptWeekly)]);
  const safety = backups
    .filter((backup) => backup.kind === 'before-restore')
    .toSorted((a, b) => b.createdAt - a.createdAt);
  return [...auto.filter((backup) => !kept.has(backup)), ...safety.slice(keptSafety)];
}
