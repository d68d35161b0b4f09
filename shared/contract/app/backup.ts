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
  /** Why the last attempt failed; null: it succeeded, or there was none. */
  problem: problemText.nullable(),
  /** Attachments that the last backup could not find, or the last restore could not restore. */
  missingFiles: z.int(),
  keptDaily: z.int(),
  keptWeekly: z.int(),
});

export const backupContract = {
  list: oc.output(backupState),
  /** Backs up chats, attachments and settings, and checks the copy. */
  make: oc.output(backupState),
  /** Checks the backup, backs up the present state, then restores. The ledger stays as it is. */
  restore: oc.input(z.object({ name: backupName })).output(backupState),
  /** It can be put back for an hour, while the app runs. */
  remove: oc.input(z.object({ name: backupName })).output(backupState),
  putBack: oc.input(z.object({ name: backupName })).output(backupState),
};

export type Backup = z.infer<typeof backup>;
export type BackupState = z.infer<typeof backupState>;
