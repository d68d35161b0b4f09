import type { Browser, Page } from '@playwright/test';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** When it began and how long it took, in microseconds, including waits for a processor. */
  readonly ts: number;
  readonly dur?: number;
  /** How long it ran, in microseconds of the thread's processor time. */
  readonly tdur?: number;
  readonly args: { readonly data?: { readonly message?: string } };
}

export interface LongestTask {
  readonly cpuMs: number;
  /** What it spent its time on: layout, script, decompression and so on, the largest part first. */
  readonly within: readonly string[];
}

const marker = 'portico-page';

/**
 * Returns the longest task of a page's main thread while `act` runs, in processor time: on a busy machine,
 * elapsed time means little.
 */
export async function maxTask(browser: Browser, page: Page, act: () => Promise<void>): Promise<LongestTask> {
  await browser.startTracing(page, { categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'] });
  await page.evaluate((name) => console.timeStamp(name), marker);
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const marked = traceEvents.find(({ name, args }) => name === 'TimeStamp' && args.data?.message === marker);
  const own = traceEvents.filter(({ pid, tid, dur }) => pid === marked?.pid && tid === marked.tid && dur !== undefined);
  const [longest] = own.filter(({ name }) => name === 'RunTask').sort((a, b) => cpu(b) - cpu(a));
  if (!longest) throw new Error('the trace has no tasks');
  const inside = own.filter(
    ({ name, ts }) => name !== 'RunTask' && ts >= longest.ts && ts < longest.ts + (longest.dur ?? 0),
  );
  const within = inside
    .sort((a, b) => cpu(b) - cpu(a))
    .slice(0, 5)
    .map((event) => `${event.name} ${Math.round(cpu(event))}`);
  return { cpuMs: cpu(longest), within };
}

const cpu = ({ tdur = 0 }: TraceEvent): number => tdur / 1000;
