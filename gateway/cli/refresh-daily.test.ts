import { expect, test, vi } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { refreshDaily } from './server.ts';

const report = {
  source: 'prices.example',
  asOf: '2026-11-20',
  added: [],
  ignored: [],
  refused: [{ model: 'a/b', why: 'It would be free.' }],
};

test('nothing is fetched when no address is configured', () => {
  const fetched: string[] = [];
  const refreshPrices = async (url: string) => {
    fetched.push(url);
    return report;
  };
  refreshDaily({ refreshPrices }, undefined, () => {})();
  expect(fetched).toEqual([]);
});

test('prices are fetched at once and every day until that is stopped, and a refusal is logged with its reason', async () => {
  vi.useFakeTimers();
  const logged: unknown[] = [];
  let calls = 0;
  const refreshPrices = async () => {
    calls += 1;
    if (calls === 2) throw new AppError('invalid_input', 'The price document is refused.');
    return report;
  };
  const stop = refreshDaily({ refreshPrices }, 'https://prices.example', (entry) => logged.push(entry));
  await vi.advanceTimersByTimeAsync(24 * 60 * 60 * 1000);
  stop();
  await vi.advanceTimersByTimeAsync(24 * 60 * 60 * 1000);
  vi.useRealTimers();
  expect(logged).toEqual([
    { event: 'prices_refreshed', source: 'prices.example', as_of: '2026-11-20', added: 0, refused: 1 },
    { event: 'price_not_believed', level: 'warn', model: 'a/b', message: 'It would be free.' },
    { event: 'prices_not_refreshed', code: 'invalid_input', message: 'The price document is refused.' },
  ]);
});
