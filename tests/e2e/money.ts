import { expect, type Locator, type Page } from '@playwright/test';
import { parseUsd } from '#shared/money.ts';

/** Returns the first dollar amount in a text, in nano-USD. */
export function dollars(text: string | null): bigint {
  const match = /(-|−)?\$([\d,]+(?:\.\d+)?)/.exec(text ?? '');
  if (!match?.[2]) throw new Error(`no amount in ${JSON.stringify(text)}`);
  const amount = parseUsd(match[2].replaceAll(',', ''));
  return match[1] ? -amount : amount;
}

/** The button that shows a chat's total and opens its bill. */
export const chatTotal = (page: Page): Locator => page.getByRole('button', { name: /Cost of this chat/ });

/** Returns the balance that the app shows, once it has one. */
export async function getBalance(page: Page): Promise<bigint> {
  const balance = page.getByRole('status', { name: 'Balance' });
  await expect(balance).toContainText('$');
  return dollars(await balance.textContent());
}

/**
 * Returns the balance before a test that shares its app with others. The reload is needed because the cost of the
 * answer just before may not be shown yet.
 */
export async function openingBalance(page: Page): Promise<bigint> {
  await page.reload();
  return getBalance(page);
}

/** Opens Credits, waits for this many ledger entries of a chat with these models, and returns their sum. */
export async function booked(page: Page, model: string | RegExp, entries: number): Promise<bigint> {
  await page.getByRole('link', { name: 'Credits' }).click();
  const rows = page.getByRole('row').filter({ hasText: model });
  await expect(rows).toHaveCount(entries);
  let sum = 0n;
  for (const row of await rows.all()) sum += await amountIn(row);
  return sum;
}

/** Returns the amount in a table's row: the first cell that has one. */
export const amountIn = async (row: Locator): Promise<bigint> =>
  dollars(await row.getByRole('cell').filter({ hasText: '$' }).first().textContent());
