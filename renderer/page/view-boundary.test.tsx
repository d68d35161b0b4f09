import '../ui/styles/theme.css';
import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { Toaster } from '../ui/notices/toaster.tsx';
import { lazyView } from './lazy-view.tsx';
import { brokenDetails, ViewBoundary } from './view-boundary.tsx';

const secret = 'sk-portico-abcdefghijklmnop';

function draw(view: React.ReactNode) {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  return render(
    <Toaster>
      <button type="button">Outside</button>
      <ViewBoundary name="Models">{view}</ViewBoundary>
    </Toaster>,
  );
}

function Failing(): never {
  throw new TypeError(`Dear diary ${secret}`);
}

test.each(['light', 'dark'])(
  'a view that throws shows the error, and the rest of the window keeps working (%s)',
  async (theme) => {
    document.documentElement.dataset.theme = theme;
    await draw(<Failing />);
    await expect.element(page.getByRole('alert')).toMatchTextContent('Models could not be shown');
    await expect.element(page.getByRole('alert')).toMatchTextContent('TypeError: Dear diary');
    await expect.element(page.getByRole('button', { name: 'Outside' })).toBeVisible();
    delete document.documentElement.dataset.theme;
  },
);

test('Try again renders the view again', async () => {
  let broken = true;
  function Once() {
    if (broken) throw new Error('no');
    return <p>Here it is</p>;
  }
  await draw(<Once />);
  const again = page.getByRole('button', { name: 'Try again' });
  await expect.element(again).toBeVisible();
  broken = false;
  await again.click();
  await expect.element(page.getByText('Here it is')).toBeVisible();
});

test('the copied details contain the code location and no text of a chat', async () => {
  const written = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await draw(<Failing />);
  await page.getByRole('button', { name: 'Copy details' }).click();
  const [[copied = ''] = []] = written.mock.calls;
  expect(JSON.parse(copied)).toMatchObject({ view: 'Models', error: 'TypeError' });
  expect(JSON.parse(copied).stack.join('\n')).toContain('Failing');
  expect(JSON.parse(copied).components.join('\n')).toContain('ViewBoundary');
  expect(copied).not.toMatch(/diary|sk-portico|localhost|127\.0\.0\.1/);
});

test.each([
  ['text over many lines', new Error(`one\n    at home I said\ntwo ${secret}`)],
  ['no error at all', secret],
  ['nothing', undefined],
])('no part of the message is copied when the error is %s', (_name, thrown) => {
  expect(brokenDetails('Chat', thrown, '')).not.toMatch(/home|two|sk-portico/);
});

test('a view whose code failed to load is loaded again by Try again', async () => {
  let online = false;
  const View = lazyView(async () => {
    if (!online) throw new TypeError('Failed to fetch dynamically imported module');
    return () => <p>Here it is</p>;
  });
  await draw(<View />);
  await expect.element(page.getByRole('alert')).toMatchTextContent('could not be shown');
  online = true;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.element(page.getByText('Here it is')).toBeVisible();
});
