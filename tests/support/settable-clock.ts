import { readFileSync, rmSync } from 'node:fs';

/**
 * This file is loaded before a program whose clock a test sets. On each SIGUSR2, `Date` jumps ahead by the milliseconds
 * in the file named by `PORTICO_CLOCK`, and the file is deleted. The monotonic clock (`performance.now`, timers) isn't
 * affected, as on a real system.
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
