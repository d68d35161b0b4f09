import type { Page } from 'playwright';
import { type Teller, toRow } from '../rows.ts';
import { getCpuSeconds, getMemory } from './process-tree.ts';
import { close, getTimes, type Program, withWindows } from './running-window.ts';

const idleSeconds = 20;
const settleSeconds = 15;
const chats = 10;

/** What the installed app keeps with ten chats shown and nothing to do, beside a window with nothing in it. */
export async function benchFootprint(tell: Teller): Promise<void> {
  const opened = await withWindows(async ({ open }) => {
    const kept = async (program: Program) => {
      tell.doing(`starting: ${program}`);
      const running = await open(program, program);
      await getTimes(running);
      if (program === 'portico') await openChats(running.page);
      // What was put off until nobody waits is done by then.
      tell.doing(`${settleSeconds} s to settle, then ${idleSeconds} s of nothing`);
      await new Promise((later) => setTimeout(later, settleSeconds * 1000));
      const before = getCpuSeconds(running.pid);
      await new Promise((later) => setTimeout(later, idleSeconds * 1000));
      const cpu = ((getCpuSeconds(running.pid) - before) / idleSeconds) * 100;
      const memory = getMemory(running.pid);
      await close(running);
      return { cpu, memory };
    };
    const [own, empty] = [await kept('portico'), await kept('empty window')];
    const of = 'empty window';
    tell.row(
      toRow({
        row: `memory of all processes with ${chats} chats shown, what they share counted once`,
        unit: 'MB',
        values: [own.memory],
        floor: { of, values: [empty.memory] },
      }),
    );
    // An empty window uses next to none: a ratio to it would say nothing.
    const row = `processor over ${idleSeconds} s with nothing to do`;
    tell.row(toRow({ row, unit: '% of a core', values: [own.cpu] }));
    tell.row(toRow({ row: `${row}, empty window`, unit: '% of a core', values: [empty.cpu] }));
  });
  if (!opened) tell.doing('nothing is measured: there is no Electron here');
}

/** Writes chats and shows each of them. */
async function openChats(page: Page): Promise<void> {
  const start = page.getByRole('button', { name: 'Try it now' });
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  await message.waitFor();
  if (await start.isVisible()) await start.click();
  for (let chat = 0; chat < chats; chat += 1) {
    await page.keyboard.press('ControlOrMeta+Shift+o');
    await message.fill(`Chat ${chat}: what is this?`);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'hidden' });
    await page.getByRole('log', { name: 'Conversation' }).getByRole('article').nth(1).waitFor();
  }
  for (const link of await page.getByRole('navigation', { name: 'Chats', exact: true }).getByRole('link').all())
    await link.click();
}
