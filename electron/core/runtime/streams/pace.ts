import { setTimeout as sleep } from 'node:timers/promises';

/** One frame at 60 Hz. */
export const frameMs = 16;

/** Waits, or stops waiting when the signal is aborted; never throws. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal ? { signal } : {}).catch(() => {});
}
