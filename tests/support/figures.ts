import { appendFileSync } from 'node:fs';
import type { RowName } from '../proof/rows.ts';

/**
 * Records a figure for a row of `npm run proof`: a clause that states how much was tested and what came of it. Call it
 * after the assertion that the figure is about. Without that command it does nothing.
 */
export function figure(row: RowName, text: string): void {
  const file = process.env.PORTICO_FIGURES;
  if (file) appendFileSync(file, `${JSON.stringify({ row, text })}\n`);
}
