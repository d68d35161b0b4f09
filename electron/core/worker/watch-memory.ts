import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

/** A thread takes some hundred milliseconds to fill a gigabyte. */
const memoryCheckMs = 20;
/** A thread that runs JavaScript says sooner what it holds; one call of V8 or zlib may take its time. */
const answerMs = 100;
/**
 * V8's own limit is to be met by nobody: where a single list or table passes it, V8 ends the whole process and not the thread alone. So it
 * lies this far above what is watched: the largest table that V8 makes, and what is filled between two looks.
 */
const heapRoomMb = 2_048;

/** For a thread whose memory is watched. */
export const watchedHeap = (memoryMb: number) => ({
  maxOldGenerationSizeMb: memoryMb + heapRoomMb,
  maxYoungGenerationSizeMb: 32,
});

/**
 * Tells once the process has grown by so much from now on, by heap and buffers alike, which V8's own limit leaves out, and at least half of
 * it is this thread's. Returns what ends it.
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

/** What a thread holds. Without limit where it does not say so: before Node 24, and in the middle of one long call. */
async function getMb(worker: Worker): Promise<number> {
  if (typeof worker.getHeapStatistics !== 'function') return Number.POSITIVE_INFINITY;
  try {
    const held = await Promise.race([worker.getHeapStatistics(), wait(answerMs, null, { ref: false })]);
    return held ? (held.total_heap_size + held.external_memory) / 2 ** 20 : Number.POSITIVE_INFINITY;
  } catch {
    // It has ended.
    return 0;
  }
}
