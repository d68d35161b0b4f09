import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Backup } from '#shared/contract/app/backup.ts';

export const keptDaily = 7;
export const keptWeekly = 4;
const keptSafety = 3;
const dayMs = 86_400_000;
const named = /^(auto|manual|before-restore)-(\d{4})-(\d\d)-(\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.db$/;

/** A backup’s name contains its time: `auto-2026-11-21T08-15-00-000Z.db`. */
export const nameAt = (kind: Backup['kind'], timeMs: number): string =>
  `${kind}-${new Date(timeMs).toISOString().replace(/[:.]/g, '-')}.db`;

/** The backups in a folder, newest first; other files are ignored. */
export function listBackups(folder: string): Backup[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return readdirSync(folder)
    .flatMap((name): Backup[] => {
      const [, kind, year, month, day, hour, minute, second, ms] = named.exec(name) ?? [];
      if (kind === undefined) return [];
      const createdAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
      const bytes = statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
      return [{ name, kind: kind as Backup['kind'], createdAt, bytes }];
    })
    .sort((a, b) => b.createdAt - a.createdAt);
}

/** Where a removed backup lies until it is too late to put it back. */
export const removedName = (name: string): string => `${name}.removed`;

/** Names of removed backups that can be put back. */
export const listRemoved = (folder: string): string[] =>
  readdirSync(folder).flatMap((file) =>
    named.test(file.replace(/\.removed$/, '')) && file.endsWith('.removed') ? file : [],
  );

/** Removes partial copies of a crash. */
export function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) if (/\.part(-wal|-shm|-journal)?$/.test(name)) rmSync(join(folder, name));
}

/**
 * The automatic backups to delete: kept are the newest of each of the last seven days and of each of the last four
 * weeks that have one. Manual backups stay until the user deletes them.
 */
export function outdated(backups: readonly Backup[]): Backup[] {
  const auto = backups.filter((each) => each.kind === 'auto').toSorted((a, b) => b.createdAt - a.createdAt);
  const newestOf = (spanMs: number, most: number) => {
    const spans = new Map<number, Backup>();
    for (const each of auto) {
      const span = Math.floor(each.createdAt / spanMs);
      if (!spans.has(span) && spans.size < most) spans.set(span, each);
    }
    return [...spans.values()];
  };
  const kept = new Set([...newestOf(dayMs, keptDaily), ...newestOf(7 * dayMs, keptWeekly)]);
  const safety = backups.filter((each) => each.kind === 'before-restore').toSorted((a, b) => b.createdAt - a.createdAt);
  return [...auto.filter((each) => !kept.has(each)), ...safety.slice(keptSafety)];
}
