/** A thread takes some hundred milliseconds to fill a gigabyte. */
const memoryCheckMs = 20;
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
 * Tells once the process has grown by so much from now on, by heap and buffers alike, which V8's own limit leaves out. Not every Node that
 * the app runs on measures one thread, so all of the process counts. Returns what ends it.
 */
export function watchMemory(memoryMb: number, passed: () => void): () => void {
  const maxBytes = process.memoryUsage.rss() + memoryMb * 2 ** 20;
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() > maxBytes) passed();
  }, memoryCheckMs);
  return () => clearInterval(timer);
}
