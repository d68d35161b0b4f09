import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { useAwaited, useSettled, useShown } from './use-settled.ts';

// Keeps the time limit from passing, after which the rest would load in any case.
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => vi.useRealTimers());

function Missing() {
  useAwaited();
  return null;
}

function View({ missing }: { missing: boolean }) {
  useShown(true);
  return (
    <>
      {missing && <Missing />}
      <p>{useSettled() ? 'loads the rest' : 'waits'}</p>
    </>
  );
}

const idle = () => new Promise<void>((resolve) => requestIdleCallback(() => resolve(), { timeout: 1000 }));

test('the rest is not loaded while a part of the first view is missing, even if the window is idle', async () => {
  const { rerender } = await render(<View missing />);
  for (let times = 0; times < 3; times += 1) await idle();
  expect(page.getByText('waits').all()).toHaveLength(1);
  await rerender(<View missing={false} />);
  await expect.element(page.getByText('loads the rest')).toBeVisible();
});

test('the rest is loaded after a time limit in any case', async () => {
  await render(<View missing />);
  vi.advanceTimersByTime(2000);
  await expect.element(page.getByText('loads the rest')).toBeVisible();
});
