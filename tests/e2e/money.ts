import { expect, type Locator, type Page } from '@playwright/test';
import { parseUsd } from '#shared/money.ts';

/** The first dollar amount in a text, in nano-USD. */
export function dollars(text: string | null): bigint {
  const match = /(-|−)?\$([\d,]+(?:\.\d+)?)/.exec(text ?? '');
  if (!match?.[2]) throw new Error(`no amount in ${JSON.stringify(text)}`);
  const amount = parseUsd(match[2].replaceAll(',', ''));
  return match[1] ? -amount : amount;
}

/** What opens the bill of a chat, and says its sum. */
export const chatTotal = (page: Page): Locator => page.getByRole('button', { name: /Cost of this chat/ });

/** What the app shows as its balance, once it has one. */
export async function getBalance(page: Page): Promise<bigint> {
  const balance = page.getByRole('status', { name: 'Balance' });
  await expect(balance).toContainText('$');
  return dollars(await balance.textContent());
}

/** The balance before a journey that shares its app with others: what the answer of just before cost may not be shown yet. */
export async function openingBalance(page: Page): Promise<bigint> {
  await page.reload();
  return getBalance(page);
}

/** What the ledger has for a chat of these models, as `Credits` shows it: so many entries, and their sum. */
export async function booked(page: Page, model: string | RegExp, entries: number): Promise<bigint> {
  await page.getByRole('link', { name: 'Credits' }).click();
  const rows = page.getByRole('row').filter({ hasText: model });
  await expect(rows).toHaveCount(entries);
  let sum = 0n;
  for (const row of await rows.all()) sum += await amountIn(row);
  return sum;
}

/** The amount in a table's row: its first cell that has one. */
export const amountIn = async (row: Locator): Promise<bigint> =>
  dollars(await row.getByRole('cell').filter({ hasText: '$' }).first().textContent());
