import { AppError } from '#shared/errors.ts';
import { runBounded, type ThreadLimits } from '../worker/bounded-thread.ts';
import type { PageBytes, PageText } from './page-text.ts';

/** Extracts text from the bytes of a page. Throws `tool_failed` beyond the limits, or the signal’s reason. */
export type ReadPage = (page: PageBytes, signal: AbortSignal) => Promise<PageText>;

/** Real pages, even the largest, take some tenths of a second and a few dozen megabytes. */
const usualLimits: ThreadLimits = { timeMs: 5_000, memoryMb: 256 };
const mostAtOnce = 2;

/** Reads each page on its own thread, two at once; others wait. `file`: `page-worker.ts`, built or as source. */
export function pageReader(file: string, limits = usualLimits): ReadPage {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function turn(signal: AbortSignal): Promise<void> {
    if (running < mostAtOnce) {
      running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      const at = waiting.indexOf(resolve);
      if (at >= 0) waiting.splice(at, 1);
      reject(signal.reason);
    };
    waiting.push(resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  /** Passes the slot to the next waiter. */
  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  return async (page, signal) => {
    signal.throwIfAborted();
    await turn(signal);
    try {
      const outcome = await runBounded<PageText>(file, page, limits, signal);
      if ('value' in outcome) return outcome.value;
      throw new AppError('tool_failed', tooMuch[outcome.ended]);
    } catch (error) {
      // Nested too deep for the parser’s recursion.
      if (error instanceof RangeError) throw new AppError('tool_failed', tooMuch.depth, { cause: error });
      throw error;
    } finally {
      leave();
    }
  };
}

const tooMuch = {
  time: 'The page was not read: it is built so that reading it takes too long. Try another page.',
  memory: 'The page was not read: it is built so that reading it takes too much memory. Try another page.',
  depth: 'The page was not read: it is nested too deeply. Try another page.',
} as const;
