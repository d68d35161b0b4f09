import { oc } from '@orpc/contract';
import { z } from 'zod';
import { rule, timeMs, told } from '../common/fields.ts';

/** The name of a backup's file. Never a path. */
const backupName = z
  .string()
  .max(80)
  .regex(/^(auto|manual|before-restore)-[0-9TZ-]+\.db$/, rule('backup'));

export const backup = z.object({
  name: backupName,
  kind: z.enum(['auto', 'manual', 'before-restore']),
  createdAt: timeMs,
  bytes: z.int(),
});

export const backupState = z.object({
  folder: z.string(),
  /** Newest first. */
  backups: z.array(backup),
  /** What the last attempt failed with, in one sentence; null: it worked, or there was none. */
  problem: told.nullable(),
  /** Attached files that the last backup did not find, or the last restore could not bring back whole. */
  missingFiles: z.int(),
  keptDaily: z.int(),
  keptWeekly: z.int(),
});

export const backupContract = {
  list: oc.output(backupState),
  /** Copies the chats, their files and the settings as they are now, checks the copy, then keeps it. */
  make: oc.output(backupState),
  /** Checks the backup, keeps a copy of the present state, then puts the backup in its place. The ledger stays as it is. */
  restore: oc.input(z.object({ name: backupName })).output(backupState),
  remove: oc.input(z.object({ name: backupName })).output(backupState),
};

export type Backup = z.infer<typeof backup>;
export type BackupState = z.infer<typeof backupState>;
