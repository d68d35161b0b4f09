import { appendFileSync } from 'node:fs';
import type { RowName } from '../proof/rows.ts';

/**
 * Notes what a test has shown for a row of `npm run proof`: a clause that says how much, and what came of it. Called behind
 * the assertion that it speaks of. Without that command it goes nowhere.
 */
export function figure(row: RowName, text: string): void {
  const file = process.env.PORTICO_FIGURES;
  if (file) appendFileSync(file, `${JSON.stringify({ row, text })}\n`);
}
