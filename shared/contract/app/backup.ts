import { oc } from '@orpc/contract';
import { z } from 'zod';
import { problemText, rule, timeMs } from '../common/fields.ts';

/** File name of a backup, never a path. */
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
  /** Why the last backup failed. Null if it succeeded or none was made yet. */
  problem: problemText.nullable(),
  /** Attachments that were missing when the last backup was made or restored. */
  missingFiles: z.int(),
  keptDaily: z.int(),
  keptWeekly: z.int(),
});

export const backupContract = {
  list: oc.output(backupState),
  /** Backs up chats, attachments and settings, and verifies the copy. */
  make: oc.output(backupState),
  /** Verifies the backup, backs up the current state, then restores. The ledger isn't changed. */
  restore: oc.input(z.object({ name: backupName })).output(backupState),
  /** Removes the backup. `putBack` can undo this for an hour, as long as the app keeps running. */
  remove: oc.input(z.object({ name: backupName })).output(backupState),
  putBack: oc.input(z.object({ name: backupName })).output(backupState),
};

export type Backup = z.infer<typeof backup>;
export type BackupState = z.infer<typeof backupState>;
