import type { Locator, Page } from '@playwright/test';
import { dollars } from './money.ts';

/** The answers that a question got side by side. */
export const comparison = (page: Page): Locator => page.getByRole('group', { name: /^Comparison of/ });
export const columns = (page: Page): Locator => comparison(page).getByRole('article');
export const bill = (column: Locator): Locator => column.getByRole('button', { name: /billed|estimated|list price/ });

/** Returns the sum of the costs of all columns, each read from its own bill. */
export async function billed(page: Page): Promise<bigint> {
  let sum = 0n;
  for (const column of await columns(page).all()) sum += dollars(await bill(column).textContent());
  return sum;
}
