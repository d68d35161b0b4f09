import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFairQueue } from './fair-queue.ts';

const pushed = fc.array(fc.record({ account: fc.constantFrom('a', 'b', 'c'), cost: fc.integer({ min: 1, max: 50 }) }));

test('two waiting accounts are served equally, up to one task of each', () => {
  fc.assert(
    fc.property(pushed, (tasks) => {
      const queue = createFairQueue<(typeof tasks)[number]>();
      for (const task of tasks) queue.push(task.account, task.cost, task);
      const given = new Map<string, number>();
      const left = new Map(['a', 'b', 'c'].map((name) => [name, tasks.filter(({ account }) => account === name)]));
      const maxCost = Math.max(0, ...tasks.map(({ cost }) => cost));
      const seen: unknown[] = [];
      while (queue.size > 0) {
        const { account, cost } = queue.take()?.item ?? { account: '', cost: 0 };
        const next = left.get(account)?.shift();
        expect({ account, cost }).toEqual(next);
        seen.push(next);
        given.set(account, (given.get(account) ?? 0) + cost);
        const waiting = [...left].filter(([, more]) => more.length > 0).map(([name]) => given.get(name) ?? 0);
        if (waiting.length > 1) expect(Math.max(...waiting) - Math.min(...waiting)).toBeLessThanOrEqual(2 * maxCost);
      }
      expect(seen).toHaveLength(tasks.length);
      expect([queue.cost, queue.accounts, queue.take()]).toEqual([0, 0, undefined]);
    }),
  );
});

test('a cheap item overtakes an expensive one, which still gets its turn', () => {
  const queue = createFairQueue<string>();
  queue.push('huge', 1_000, 'huge');
  const order: (string | undefined)[] = [];
  for (let turn = 0; turn < 200; turn += 1) {
    queue.push('small', 10, 'small');
    order.push(queue.take()?.item);
  }
  expect(order[0]).toBe('small');
  expect(order.indexOf('huge')).toBe(99);
});

test('a cheap item behind an expensive one is found when only cheap ones are wanted', () => {
  const queue = createFairQueue<string>();
  queue.push('one', 1_000, 'huge');
  queue.push('one', 10, 'small');
  expect([queue.take(100)?.item, queue.take(100)?.item, queue.take()?.item]).toEqual(['small', undefined, 'huge']);
});
