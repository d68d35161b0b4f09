import type { Page } from '@playwright/test';
import { parseUsd } from '#shared/money.ts';

/** The first dollar amount in a text, in nano-USD. */
export function dollars(text: string | null): bigint {
  const match = /(-|−)?\$([\d,]+(?:\.\d+)?)/.exec(text ?? '');
  if (!match?.[2]) throw new Error(`no amount in ${JSON.stringify(text)}`);
  const amount = parseUsd(match[2].replaceAll(',', ''));
  return match[1] ? -amount : amount;
}

/** What the app shows as its balance. */
export const balanceOf = async (page: Page): Promise<bigint> =>
  dollars(await page.getByRole('status', { name: 'Balance' }).textContent());
