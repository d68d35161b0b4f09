import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { renameFileSync } from '#gateway/storage/rename-file.ts';
import type { Backup, BackupState } from '#shared/contract/app/backup.ts';
import { AppError, getProblemText, type ProblemText } from '#shared/errors.ts';
import { refusal, toProblemText } from '#shared/language/refusals.ts';
import { takingTurns } from '#shared/taking-turns.ts';
import { failureEntry } from '../runtime/log/log.ts';
import type { CoreContext } from '../storage/core-context.ts';
import { removedName } from '../storage/database/dated-names.ts';
import { unwritable } from '../storage/database/unwritable.ts';
import type { Background } from '../worker/background.ts';
import { backupAttachments } from './backup-attachments.ts';
import { keptDaily, keptWeekly, listBackups, listRemoved, nameAt, outdated, removeUnfinished } from './backup-files.ts';

const dayMs = 86_400_000;
/** How often the app checks whether a backup is due. */
const checkEveryMs = 3_600_000;
/** How long the removal of a backup can be undone. */
const undoMs = 3_600_000;

export interface BackupDeps extends CoreContext {
  readonly background: Background;
  /** Ends running answers before the database is replaced. */
  readonly quiet: () => Promise<void>;
  /** Migrates the restored database and reloads what the core holds in memory. */
  readonly restored: () => Promise<void>;
}

/**
 * Rolling backups of `portico.db` with attachments: chats and settings, never keys (those are in the keychain) and
 * never the ledger, because its balances must not go back in time.
 */
export function backupFeature(deps: BackupDeps) {
  const { dataFolder, background, changes, now, log } = deps;
  const databasePath = join(dataFolder, 'portico.db');
  const folder = join(dataFolder, 'backups');
  const attachments = backupAttachments(folder, join(dataFolder, 'attachments'));
  /** When each backup was removed, by file name. */
  const removedAt = new Map<string, number>();
  let problem: ProblemText | null = null;
  let missingFiles = 0;
  /** Runs backups and restores one after the other. */
  const inTurn = takingTurns();

  const state = (): BackupState => ({ folder, backups: listed(), problem, missingFiles, keptDaily, keptWeekly });

  function listed(): Backup[] {
    try {
      return listBackups(folder);
    } catch (cause) {
      throw unwritable(folder, cause);
    }
  }

  /** Copies in steps between other work, checks the copy, and renames it only then. */
  async function copy(kind: Backup['kind']): Promise<void> {
    const name = nameAt(kind, now());
    const part = join(folder, `${name}.part`);
    const source = new Sqlite(databasePath, { readonly: true });
    try {
      listed();
      removeUnfinished(folder);
      await source.backup(part);
      asOneFile(part);
      const wrong = await background.run('check', { path: part });
      if (wrong) throw refusal('backup_failed', 'copyNotKept', { why: wrong });
      // The attachments come first: a backup under its final name is then complete.
      missingFiles = await attachments.add(await background.run('files', { path: part }));
      renameFileSync(part, join(folder, name));
      for (const old of outdated(listBackups(folder))) rmSync(join(folder, old.name));
      await forgetUnused();
    } catch (cause) {
      if (existsSync(part)) rmSync(part);
      throw cause instanceof AppError ? cause : unwritable(folder, cause);
    } finally {
      source.close();
    }
  }

  /**
   * Removes attachments that no backup references. An unreadable backup may reference any of them, so in that case all
   * are kept.
   */
  async function forgetUnused(): Promise<void> {
    const named = new Set<string>();
    try {
      for (const name of [...listBackups(folder).map((backup) => backup.name), ...listRemoved(folder)]) {
        for (const id of await background.run('files', { path: join(folder, name) })) named.add(id);
      }
    } catch (error) {
      log({ event: 'backup_files_kept', ...failureEntry(error) });
      return;
    }
    await attachments.keepOnly(named);
  }

  async function make(kind: Backup['kind']): Promise<void> {
    try {
      await copy(kind);
      problem = null;
    } catch (error) {
      problem = error instanceof AppError ? getProblemText(error) : toProblemText('backupFailed');
      throw error;
    } finally {
      changes.emit('backups');
    }
  }

  /**
   * A backup is due a day after the newest one if anything was written since. The first one is due as soon as there is
   * a chat.
   */
  function due(): boolean {
    const [newest] = listed().filter((backup) => backup.kind === 'auto');
    if (!newest) return hasChats(databasePath);
    const written = Math.max(changedAt(databasePath), changedAt(`${databasePath}-wal`));
    return now() - newest.createdAt >= dayMs && written > newest.createdAt;
  }

  /** Deletes removed backups that can't be put back any more: those of an earlier run, and those removed long ago. */
  async function forgetRemoved(): Promise<void> {
    const late = listRemoved(folder).filter((name) => now() - (removedAt.get(name) ?? 0) >= undoMs);
    for (const name of late) rmSync(join(folder, name));
    if (late.length > 0) await forgetUnused();
  }

  async function makeIfDue(): Promise<void> {
    try {
      listed();
      await inTurn(forgetRemoved);
      if (due()) await inTurn(() => make('auto'));
    } catch (error) {
      log({ event: 'backup_failed', ...failureEntry(error) });
    }
  }

  async function restore(name: string): Promise<void> {
    const path = join(folder, existing(name).name);
    const wrong = await background.run('check', { path });
    if (wrong) {
      throw refusal('backup_unusable', 'backupUnusable', { why: wrong });
    }
    const unreadable = await background.run('unreadableRow', { path });
    if (unreadable) throw refusal('backup_unusable', 'backupRowUnreadable', unreadable);
    await deps.quiet();
    await copy('before-restore');
    const files = await background.run('files', { path });
    await background.run('restore', { from: path, to: databasePath });
    missingFiles = await attachments.restore(files);
    await deps.restored();
    log({ event: 'backup_restored', missingFiles });
  }

  function existing(name: string): Backup {
    const found = listed().find((backup) => backup.name === name);
    if (!found) throw refusal('not_found', 'backupGone');
    return found;
  }

  return {
    list: async () => state(),

    async make(): Promise<BackupState> {
      await inTurn(() => make('manual'));
      return state();
    },

    async restore({ name }: { name: string }): Promise<BackupState> {
      await inTurn(() => restore(name));
      return state();
    },

    async remove({ name }: { name: string }): Promise<BackupState> {
      await inTurn(async () => {
        const path = join(folder, existing(name).name);
        renameFileSync(path, removedName(path));
        removedAt.set(removedName(name), now());
      });
      changes.emit('backups');
      return state();
    },

    async putBack({ name }: { name: string }): Promise<BackupState> {
      await inTurn(async () => {
        const path = join(folder, name);
        if (!existsSync(removedName(path))) throw refusal('not_found', 'backupGone');
        renameFileSync(removedName(path), path);
        removedAt.delete(removedName(name));
      });
      changes.emit('backups');
      return state();
    },

    /** Makes due backups, now and later. Returns a function that stops this and waits for the running backup. */
    keepUp(): () => Promise<void> {
      void makeIfDue();
      const timer = setInterval(() => void makeIfDue(), checkEveryMs);
      timer.unref();
      return async () => {
        clearInterval(timer);
        await inTurn(async () => {});
      };
    },
  };
}

/** A database in WAL mode consists of several files. A backup must be one file, and it leaves out temporary chats. */
function asOneFile(path: string): void {
  const db = new Sqlite(path);
  try {
    db.pragma('journal_mode = DELETE');
    db.pragma('foreign_keys = ON');
    db.pragma('secure_delete = ON');
    // The chain of parents is cut first, as in `deleteChat`.
    db.exec(`update messages set parent_id = null
      where conversation_id in (select id from conversations where temporary <> 0)`);
    db.exec('delete from conversations where temporary <> 0');
  } finally {
    // Also after a failure: Windows can't remove the copy while it is open.
    db.close();
  }
}

function hasChats(path: string): boolean {
  const db = new Sqlite(path, { readonly: true });
  try {
    return db.prepare('select 1 from conversations where temporary = 0 limit 1').get() !== undefined;
  } finally {
    db.close();
  }
}

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
