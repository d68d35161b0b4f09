import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { openPricedUpstream } from '../support/priced-upstream.ts';
import { expectNoFaultInEither } from './accessibility.ts';
import { expect, test } from './app.ts';
import { press } from './by-tab.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';
import { agree, amounts, bySql, openPage, showCharged } from './ledger-by-sql.ts';

const wide = { width: 1280, height: 800 };
const narrow = { width: 420, height: 800 };

/** Restores the first copy of this kind, without a mouse. */
async function restore(page: Page, kind: string, inspect = async (_: Locator) => {}): Promise<void> {
  const copy = page.getByRole('list', { name: 'Copies of the ledger' }).getByRole('listitem').filter({ hasText: kind });
  await press(page, copy.first().getByRole('button', { name: /^Restore/ }));
  const dialog = page.getByRole('dialog', { name: 'Restore this copy of the ledger?' });
  await expect(dialog.getByRole('table')).toBeVisible();
  await inspect(dialog);
  await press(page, dialog.getByRole('button', { name: 'Restore', exact: true }));
  await expect(dialog).toBeHidden();
}

test('the ledger is restored and the restore is undone without a mouse, and every page agrees with SQL', async ({
  launch,
}) => {
  const upstream = await openPricedUpstream((call) => ({ promptTokens: 1000 * call, completionTokens: 100 }));
  const { page, dataFolder } = await launch({ env: upstream.env });
  const ledger = join(dataFolder, 'gateway.db');
  const copies = page.getByRole('list', { name: 'Copies of the ledger' }).getByRole('listitem');
  await chooseModel(page, 'GPT-4o mini');
  await ask(page, 'Name three lakes');
  await ended(articles(page).nth(1));
  await agree(page, ledger, 'local');
  await openPage(page, '#settings/data');
  await press(page, page.getByRole('button', { name: 'Copy the ledger' }));
  await expect(copies).toHaveCount(1);
  const atCopy = bySql(ledger, 'local');

  await openPage(page, '#chat');
  await ask(page, 'Tell me more');
  await ended(articles(page).nth(1));
  await agree(page, ledger, 'local');
  const present = bySql(ledger, 'local');
  expect([atCopy.requests, present.requests]).toEqual([1, 2]);
  expect(present.charged).not.toBe(atCopy.charged);

  await openPage(page, '#settings/data');
  // The toast has to be gone: while it fades, its colours belong to no theme.
  await expect(page.getByText('Ledger copied and counted')).toHaveCount(0);
  await page.setViewportSize(narrow);
  await restore(page, 'By hand', async (dialog) => {
    const own = dialog.getByRole('row').filter({ hasText: 'Your keys' });
    await expect(own).toContainText('1 request');
    await expect(own).toContainText('2 requests');
    expect(await amounts(own)).toEqual([atCopy.charged, present.charged]);
    const hidden = await dialog.evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(hidden).toBe(0);
    await expectNoFaultInEither(page, 'restore the ledger, narrow');
    await page.setViewportSize(wide);
    await expectNoFaultInEither(page, 'restore the ledger');
    await page.setViewportSize(narrow);
  });
  await page.keyboard.press('ControlOrMeta+z');
  // Two more copies: the state before the restore and the state before it was undone.
  await expect(copies).toHaveCount(3);
  await page.setViewportSize(wide);
  await agree(page, ledger, 'local');
  expect(bySql(ledger, 'local')).toEqual(present);

  await openPage(page, '#settings/data');
  await restore(page, 'By hand');
  await expect(copies).toHaveCount(4);
  await showCharged(page, ledger, 'local');
  expect(bySql(ledger, 'local')).toEqual(atCopy);
  await expect(page.getByRole('main')).toContainText('1 of 2 matched');

  await openPage(page, '#settings/data');
  await restore(page, 'Before a restore');
  await expect(copies).toHaveCount(5);
  await agree(page, ledger, 'local');
  expect(bySql(ledger, 'local')).toEqual(present);
  await upstream.close();
});
