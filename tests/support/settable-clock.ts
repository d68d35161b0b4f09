import { readFileSync, rmSync } from 'node:fs';

/**
 * Loaded before a program whose clock a test sets: `Date` runs as many milliseconds ahead as the file says that `PORTICO_CLOCK`
 * names, from each SIGUSR2 on; the file is gone then. The monotonic clock (`performance.now`, timers) runs on, as the system's does.
 */
const SystemDate = Date;
let aheadMs = 0;

process.on('SIGUSR2', () => {
  const file = process.env.PORTICO_CLOCK ?? '';
  aheadMs = Number(readFileSync(file, 'utf8'));
  rmSync(file);
});

globalThis.Date = class extends SystemDate {
  constructor(...given: unknown[]) {
    super(...((given.length > 0 ? given : [SystemDate.now() + aheadMs]) as [number]));
  }

  static override now(): number {
    return SystemDate.now() + aheadMs;
  }
} as DateConstructor;
