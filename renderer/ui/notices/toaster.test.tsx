import '../styles/theme.css';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-react';
import { AppError } from '#shared/errors.ts';
import { Toaster } from './toaster.tsx';
import { useNotify } from './use-notify.ts';

const shown = () =>
  [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].filter((toast) => toast.checkVisibility()).length;

function Sayings() {
  const { inform, failed } = useNotify();
  return (
    <>
      {['one', 'two', 'three', 'four'].map((word) => (
        <button key={word} type="button" onClick={() => inform(`Said ${word}`)}>
          {word}
        </button>
      ))}
      <button type="button" onClick={() => failed('Not imported', new AppError('import_refused', 'It is broken.'))}>
        fail
      </button>
    </>
  );
}

test('at most three notices are shown, and a repeated failure updates its own notice', async () => {
  await render(
    <Toaster>
      <Sayings />
    </Toaster>,
  );
  const press = (word: string) => page.getByRole('button', { name: word, exact: true }).click();
  await press('fail');
  await expect.poll(shown).toBe(1);
  await press('fail');
  await press('one');
  await expect.element(page.getByText('Said one')).toBeVisible();
  expect(shown()).toBe(2);
  for (const word of ['two', 'three', 'four']) await press(word);
  await expect.element(page.getByText('Said four')).toBeVisible();
  await expect.poll(shown).toBe(3);
});
