import { parseArgs } from 'node:util';
import type { Recovery } from '#core/storage/database/recovery.ts';

export interface Flags {
  /** 0 uses any free port. */
  readonly port: number;
  readonly dataDir: string | null;
  readonly open: boolean;
  readonly recovery: Recovery | null;
}

/** Parses the command line. Throws an `Error` with one sentence for the user. */
export function parseFlags(args: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    allowPositionals: false,
    options: {
      port: { type: 'string' },
      'data-dir': { type: 'string' },
      'no-open': { type: 'boolean' },
      'restore-newest-backup': { type: 'boolean' },
      'new-database': { type: 'boolean' },
    },
  });
  const port = Number(values.port ?? 0);
  if (!/^\d{1,5}$/.test(values.port ?? '0') || port > 65_535) {
    throw new Error(`--port must be a number from 0 to 65535, not "${values.port}".`);
  }
  if (values['data-dir'] === '') throw new Error('--data-dir needs a folder.');
  const recovery = values['restore-newest-backup'] ? 'newest-backup' : values['new-database'] ? 'new-database' : null;
  return { port, dataDir: values['data-dir'] ?? null, open: !values['no-open'], recovery };
}
