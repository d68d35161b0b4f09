import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { useAwaited, useSettled, useShown } from './use-settled.ts';

// The time after which the rest is loaded in any case does not pass.
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

test('the rest is not loaded while a part of the first view is on its way, however idle the window is', async () => {
  const { rerender } = await render(<View missing />);
  for (let times = 0; times < 3; times += 1) await idle();
  expect(page.getByText('waits').all()).toHaveLength(1);
  await rerender(<View missing={false} />);
  await expect.element(page.getByText('loads the rest')).toBeVisible();
});

test('it is loaded after a time all the same', async () => {
  await render(<View missing />);
  vi.advanceTimersByTime(2000);
  await expect.element(page.getByText('loads the rest')).toBeVisible();
});
