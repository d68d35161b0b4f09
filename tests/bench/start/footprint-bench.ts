import type { Page } from 'playwright';
import { type Reporter, toRow } from '../rows.ts';
import { getCpuSeconds, getMemory } from './process-tree.ts';
import { close, getTimes, type Program, withWindows } from './running-window.ts';

const idleSeconds = 20;
const settleSeconds = 15;
const chats = 10;

/**
 * Measures the memory and processor time of the installed app with ten chats shown and nothing to
 * do, next to an empty window.
 */
export async function benchFootprint(reporter: Reporter): Promise<void> {
  const opened = await withWindows(async ({ open }) => {
    const measureIdle = async (program: Program) => {
      reporter.doing(`starting: ${program}`);
      const running = await open(program, program);
      await getTimes(running);
      if (program === 'portico') await openChats(running.page);
      // By then, all work that was postponed until the app is idle is done.
      reporter.doing(`${settleSeconds} s to settle, then ${idleSeconds} s of nothing`);
      await new Promise((later) => setTimeout(later, settleSeconds * 1000));
      const before = getCpuSeconds(running.pid);
      await new Promise((later) => setTimeout(later, idleSeconds * 1000));
      const cpu = ((getCpuSeconds(running.pid) - before) / idleSeconds) * 100;
      const memory = getMemory(running.pid);
      await close(running);
      return { cpu, memory };
    };
    const [own, empty] = [await measureIdle('portico'), await measureIdle('empty window')];
    const floorName = 'empty window';
    reporter.row(
      toRow({
        row: `memory of all processes with ${chats} chats shown, what they share counted once`,
        unit: 'MB',
        values: [own.memory],
        floor: { of: floorName, values: [empty.memory] },
      }),
    );
    // An empty window uses hardly any processor time, so a ratio to it would be meaningless.
    const row = `processor over ${idleSeconds} s with nothing to do`;
    reporter.row(toRow({ row, unit: '% of a core', values: [own.cpu] }));
    reporter.row(toRow({ row: `${row}, empty window`, unit: '% of a core', values: [empty.cpu] }));
  });
  if (!opened) reporter.doing('nothing is measured: there is no Electron here');
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
