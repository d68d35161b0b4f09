import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { eventually } from './eventually.ts';

/** Says yes to every question that the web host asks in its terminal, as a browser would. */
export function sayYesTo(terminal: Readable): void {
  createInterface({ input: terminal }).on('line', (line) => {
    const link = /^Portico asks: .* Answer at (http:\S+)$/.exec(line)?.[1];
    if (link) void sayYes(link);
  });
}

/** The page takes no yes before it could be read. */
async function sayYes(link: string): Promise<void> {
  await fetch(link);
  const headers = { origin: new URL(link).origin, 'content-type': 'application/x-www-form-urlencoded' };
  await eventually(async () => {
    const { status } = await fetch(link, { method: 'POST', headers, body: 'answer=yes' });
    if (status !== 200) throw new Error(`the answer was refused with ${status}`);
  });
}
