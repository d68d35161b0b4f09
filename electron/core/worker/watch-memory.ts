import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

/** How often memory is checked. A thread takes some hundred milliseconds to fill a gigabyte. */
const memoryCheckMs = 20;
/**
 * A thread that runs JavaScript answers faster than this. During one long call of V8 or zlib it may not answer at all.
 */
const answerMs = 100;
/**
 * The distance of V8's own heap limit from the watched one. V8's limit should never be reached: if a single list or
 * table exceeds it, V8 ends the whole process and not only the thread. The distance covers the largest table that V8
 * creates, and what is filled between two checks.
 */
const heapRoomMb = 2_048;

/** The limits of V8 for a thread whose memory is watched. */
export const watchedHeap = (memoryMb: number) => ({
  maxOldGenerationSizeMb: memoryMb + heapRoomMb,
  maxYoungGenerationSizeMb: 32,
});

/**
 * Calls `passed` when the process has grown by `memoryMb` from now on and at least half of that belongs to this thread.
 * Buffers count too, which V8's own limit leaves out. Returns a function that stops watching.
 */
export function watchMemory(worker: Worker, memoryMb: number, passed: () => void): () => void {
  const startMb = processMb();
  let isAsking = false;
  const timer = setInterval(async () => {
    if (isAsking || processMb() < startMb + memoryMb) return;
    isAsking = true;
    const threadMb = await getMb(worker);
    isAsking = false;
    if (threadMb >= memoryMb / 2) passed();
  }, memoryCheckMs);
  return () => clearInterval(timer);
}

const processMb = (): number => process.memoryUsage.rss() / 2 ** 20;

/**
 * Returns how much memory a thread uses. The result is infinite if the thread can't answer: before Node 24, and during
 * one long call.
 */
async function getMb(worker: Worker): Promise<number> {
  if (typeof worker.getHeapStatistics !== 'function') return Number.POSITIVE_INFINITY;
  try {
    const held = await Promise.race([worker.getHeapStatistics(), wait(answerMs, null, { ref: false })]);
    return held ? (held.total_heap_size + held.external_memory) / 2 ** 20 : Number.POSITIVE_INFINITY;
  } catch {
    // The thread has ended.
    return 0;
  }
}
