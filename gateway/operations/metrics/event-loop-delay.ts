import { monitorEventLoopDelay } from 'node:perf_hooks';

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>;

/** How late an event loop was, in seconds: at the worst, and in all but one of a hundred looks. */
export interface Delay {
  readonly max: number;
  readonly p99: number;
}

export interface EventLoopDelay {
  /** Since this was asked the last time. */
  sinceLast(): Delay;
  /** In the last minute, whoever asks and how often: of its six parts, the highest of each. */
  lastMinute(): Delay;
  close(): void;
}

const partMs = 10_000;
const parts = 6;
const resolution = 20;

/** Watches this thread's event loop until it is closed. */
export function watchEventLoop(): EventLoopDelay {
  const asked = monitorEventLoopDelay({ resolution });
  const part = monitorEventLoopDelay({ resolution });
  asked.enable();
  part.enable();
  let ended: readonly Delay[] = [];
  const timer = setInterval(() => {
    ended = [...ended, getRead(part)].slice(1 - parts);
    part.reset();
  }, partMs).unref();

  return {
    sinceLast() {
      const delay = getRead(asked);
      asked.reset();
      return delay;
    },
    lastMinute() {
      const all = [...ended, getRead(part)];
      return { max: Math.max(...all.map(({ max }) => max)), p99: Math.max(...all.map(({ p99 }) => p99)) };
    },
    close() {
      clearInterval(timer);
      asked.disable();
      part.disable();
    },
  };
}

const getRead = (monitor: IntervalHistogram): Delay =>
  monitor.count === 0 ? { max: 0, p99: 0 } : { max: late(monitor.max), p99: late(monitor.percentile(99)) };

/** A monitor gives nanoseconds between two looks: what is beyond the time it meant to wait is how late it was. */
const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolution / 1e3);
