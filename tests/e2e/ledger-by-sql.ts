import { expect, type Locator, type Page } from '@playwright/test';
import Sqlite from 'better-sqlite3';
import { formatUsd, nanoUsd } from '#shared/money.ts';

/** Reads the figures of a plan's account with SQL, independently of the app's own code. Amounts are in USD. */
export function bySql(file: string, plan: string) {
  const db = new Sqlite(file, { readonly: true, timeout: 5000 });
  const sum = (sql: string) =>
    formatUsd(nanoUsd(db.prepare(sql).pluck().safeIntegers().get(plan) as bigint)).replace(/^-/, '');
  const account = '(select id from accounts where plan = ?)';
  try {
    return {
      requests: db.prepare(`select count(*) from requests where account_id = ${account}`).pluck().get(plan),
      charged: sum(`select coalesce(sum(charge), 0) from requests where account_id = ${account}`),
      ledger: sum(
        `select coalesce(sum(amount), 0) from ledger_entries where account_id = ${account} and request_id is not null`,
      ),
      balance: sum(`select coalesce(sum(amount), 0) from ledger_entries where account_id = ${account}`),
    };
  } finally {
    db.close();
  }
}

/** Returns the exact amounts that a part of the page shows, in their order. */
export const amounts = (part: Locator) =>
  part.locator('data').evaluateAll((all) => all.map((element) => element.getAttribute('value')?.replace(/^-/, '')));

/** Waits until the page shows these amounts. */
export const shows = (page: Page, wanted: readonly string[]) =>
  expect.poll(() => amounts(page.getByRole('main'))).toEqual(expect.arrayContaining([...wanted]));

export async function openPage(page: Page, hash: string): Promise<void> {
  await page.evaluate((next) => {
    location.hash = next;
  }, hash);
  await expect(page.getByRole('main').locator('[aria-busy=true]')).toHaveCount(0);
}

/**
 * Waits until all pages about spending show the ledger's figures, without a reload by the user. An interrupted answer
 * is charged after its end is shown, so every check reads the ledger again.
 */
export async function showCharged(page: Page, file: string, plan: string): Promise<void> {
  const main = page.getByRole('main');
  for (const hash of ['#account', '#credits', '#usage', '#reconciliation']) {
    await openPage(page, hash);
    await expect(async () => expect(await amounts(main)).toContain(bySql(file, plan).charged)).toPass({
      timeout: 60_000,
    });
  }
}

/** Expects the same, and that every request in the ledger matches one in the chats. */
export async function agree(page: Page, file: string, plan: string): Promise<void> {
  const main = page.getByRole('main');
  await showCharged(page, file, plan);
  const { requests, ledger } = bySql(file, plan);
  await expect(main).toContainText(`${requests} of ${requests} matched`);
  await expect(main).toContainText('Difference $0.00');
  await shows(page, [ledger]);
}
