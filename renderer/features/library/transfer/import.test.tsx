import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

test('a readable file clears the error of the unreadable one before it', async () => {
  const fake = await openApp('#settings/data');
  const field = page.getByLabelText('File to import');
  await expect.element(field).toBeInTheDocument();
  fake.fail('transfer.previewImport', 'import_refused', 'It is locked.');
  await field.upload(new File(['x'], 'locked.zip'));
  const refused = page.getByText('Not imported');
  await expect.element(refused.first()).toBeVisible();
  fake.fail('transfer.previewImport', null);
  await field.upload(new File(['x'], 'good.zip'));
  await expect.element(page.getByRole('dialog', { name: '1 chat from ChatGPT' })).toBeVisible();
  await expect.poll(() => refused.all().length, { timeout: 5000 }).toBe(0);
});

test('a long title can be read in full before its chat is imported', async () => {
  await openApp('#settings/data');
  await page.getByLabelText('File to import').upload(new File(['x'], 'good.zip'));
  const title = page.getByRole('dialog').getByText(/^An old chat/);
  await expect.element(title).toBeVisible();
  const { scrollWidth, clientWidth } = title.element();
  expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
});
