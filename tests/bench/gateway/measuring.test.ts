import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { requestsFor } from './connection.ts';
import { cpuMicroseconds } from './cpu.ts';
import { arrivals, countedFrom, openLoop } from './open-loop.ts';
import { getSpread, median, percentile } from './statistics.ts';

describe('statistics', () => {
  const numbers = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 50 });

  test('a percentile is the lowest value that this share of the values does not exceed', () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 100 }), (values, percent) => {
        const found = percentile(values, percent / 100);
        const notAbove = (limit: number) => values.filter((value) => value <= limit).length * 100;
        expect(values).toContain(found);
        expect(notAbove(found)).toBeGreaterThanOrEqual(percent * values.length);
        for (const less of values.filter((value) => value < found)) {
          expect(notAbove(less)).toBeLessThan(percent * values.length);
        }
      }),
    );
  });

  test('a median has a range, and is NaN without values', () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, Number.NaN]);
    expect(getSpread([5, 1, 9])).toEqual({ median: 5, lowest: 1, highest: 9 });
    expect(percentile([1, 2, 3, 4], 0.99)).toBe(4);
  });
});

describe('the open loop', () => {
  test('requests arrive at random with the requested rate, and always at the same moments', () => {
    const times = arrivals(2_000, 10_000);
    expect(times.length / 10).toBeGreaterThan(1_940);
    expect(times.length / 10).toBeLessThan(2_060);
    const gaps = times.map((time, index) => time - (times[index - 1] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(0);
    // In a Poisson process 1/e of the gaps are longer than the mean; with a steady beat none would be.
    const long = gaps.filter((gap) => gap > 0.5).length / gaps.length;
    expect(Math.abs(long - Math.exp(-1))).toBeLessThan(0.02);
    expect(arrivals(2_000, 10_000)).toEqual(times);
  });

  test('a request that was sent late is timed from when it was due, less the millisecond of a timer', () => {
    expect(countedFrom(100, 100.4)).toBe(100.4);
    expect(countedFrom(100, 180)).toBe(101);
  });

  test('requests are sent while earlier ones have no answer, and their waiting time counts', async () => {
    const waiting: ServerResponse[] = [];
    const server = createServer((request, response) => {
      request.resume();
      waiting.push(response);
      if (waiting.length === 20) for (const pending of waiting) pending.end('{}');
      if (waiting.length > 20) response.end('{}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const target = { ports: [(server.address() as AddressInfo).port], keys: ['none'], model: 'any' };
    const load = { perSecond: 200, durationMs: 250 };
    const due = arrivals(load.perSecond, load.durationMs);
    const samples = await openLoop(target, requestsFor(target, 'hello', false), load);
    expect(samples.map(({ complete }) => complete)).toEqual(due.map(() => true));
    // The first request got its answer when the twentieth arrived.
    expect(samples[0]?.totalMs).toBeGreaterThanOrEqual((due[19] ?? 0) - (due[0] ?? 0) - 1);
  });
});

test.runIf(process.platform === 'linux')('processor time includes threads that have ended', async () => {
  const before = cpuMicroseconds(process.pid);
  const worker = new Worker('while (process.threadCpuUsage().user < 100_000);', { eval: true });
  await once(worker, 'exit');
  expect(cpuMicroseconds(process.pid) - before).toBeGreaterThan(80_000);
});
