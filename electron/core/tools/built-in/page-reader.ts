import { AppError } from '#shared/errors.ts';
import type { ThreadLimits } from '../../worker/bounded-thread.ts';
import { boundedThreads } from '../../worker/bounded-threads.ts';
import type { PageBytes, PageText } from './page-text.ts';

/** Extracts the text of a page. Throws `tool_failed` beyond the limits, or the signal's reason. */
export type ReadPage = (page: PageBytes, signal: AbortSignal) => Promise<PageText>;

/** Real pages, even the largest, take some tenths of a second and a few dozen megabytes. */
const usualLimits: ThreadLimits = { timeMs: 5_000, memoryMb: 512 };
const maxAtOnce = 2;

/**
 * Reads each page on a thread of its own. At most two run at once; others wait. `file` is `page-worker.ts`, built or as
 * source.
 */
export function pageReader(file: string, limits = usualLimits): ReadPage {
  const run = boundedThreads<PageBytes, PageText>(file, () => limits, maxAtOnce);
  return async (page, signal) => {
    try {
      const outcome = await run(page, signal);
      if ('value' in outcome) return outcome.value;
      throw new AppError('tool_failed', tooMuch[outcome.ended]);
    } catch (error) {
      // The page is nested too deep for the parser's recursion.
      if (error instanceof RangeError) throw new AppError('tool_failed', tooMuch.depth, { cause: error });
      throw error;
    }
  };
}

const tooMuch = {
  time: 'The page was not read: it is built so that reading it takes too long. Try another page.',
  memory: 'The page was not read: it is built so that reading it takes too much memory. Try another page.',
  depth: 'The page was not read: it is nested too deeply. Try another page.',
} as const;
