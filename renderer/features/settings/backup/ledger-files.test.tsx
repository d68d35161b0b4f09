import '../../../ui/styles/theme.css';
// Imported here so that loading the page doesn't count against the first test's timeout.
import './data-section.tsx';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const dialog = page.getByRole('dialog', { name: 'Restore this copy of the ledger?' });
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const copies = page.getByRole('list', { name: 'Copies of the ledger' });

test('restoring a copy of the ledger is confirmed with what will change, and can be undone', async () => {
  await openApp('#settings/data');
  await button('Copy the ledger').click();
  await copies.getByRole('button', { name: /^Restore/ }).click();
  await expect.element(dialog).toMatchTextContent('Your keys12 requests$0.0341 spent40 requests$1.207 spent');
  await expect.element(dialog).toMatchTextContent('A teamNot there1 request$0.50 spent$4.50 left');
  await expect
    .element(dialog)
    .toMatchTextContent(
      '2 keys of other programs are newer than the copy and will not work any more: Editor and one without a name.',
    );
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect.element(copies.getByText('Before a restore')).not.toBeInTheDocument();

  await copies.getByRole('button', { name: /^Restore/ }).click();
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(copies.getByText('Before a restore')).toBeVisible();
  await button('Undo').click();
  await expect.poll(() => copies.getByText('Before a restore').elements().length).toBe(2);
  // Three copies of the same minute are distinguished by their seconds.
  await expect.element(copies.getByRole('button', { name: /^Restore .*\d:\d\d:\d\d/ })).toHaveLength(3);
});

test('nothing can be restored while the copies are compared, and an unreadable copy or failed restore shows the reason', async () => {
  const fake = await openApp('#settings/data');
  await button('Copy the ledger').click();
  fake.hold('ledger.compare', true);
  await copies.getByRole('button', { name: /^Restore/ }).click();
  await expect.element(dialog.getByRole('status')).toBeVisible();
  await expect.element(dialog.getByRole('button', { name: 'Restore', exact: true })).toBeDisabled();
  fake.hold('ledger.compare', false);
  fake.fail('ledger.restore', 'database_in_use', 'Another program has the ledger open.');
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await expect.element(page.getByText('The ledger was not restored').first()).toBeVisible();
  await expect.element(copies.getByText('Before a restore')).not.toBeInTheDocument();

  fake.fail('ledger.compare', 'backup_unusable', 'This backup cannot be restored: it is damaged.');
  await copies.getByRole('button', { name: /^Restore/ }).click();
  await expect.element(dialog.getByRole('alert')).toMatchTextContent('This backup cannot be restored');
  await expect.element(dialog.getByRole('button', { name: 'Restore', exact: true })).not.toBeInTheDocument();
});
