import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { eventually } from './eventually.ts';

/** Answers "yes" to every question that the web host prints in its terminal, as a person would in the browser. */
export function answerYesTo(terminal: Readable): void {
  createInterface({ input: terminal }).on('line', (line) => {
    const link = /^Portico asks: .* Answer at (http:\S+)$/.exec(line)?.[1];
    if (link) void answerYes(link);
  });
}

/** The link's page has to be read first: a "yes" that arrives before is refused. */
async function answerYes(link: string): Promise<void> {
  await fetch(link);
  const headers = { origin: new URL(link).origin, 'content-type': 'application/x-www-form-urlencoded' };
  await eventually(async () => {
    const { status } = await fetch(link, { method: 'POST', headers, body: 'answer=yes' });
    if (status !== 200) throw new Error(`the answer was refused with ${status}`);
  });
}
