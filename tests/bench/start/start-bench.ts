import { type Teller, toRow } from '../rows.ts';
import { close, getTimes, type Program, withWindows } from './running-window.ts';

const programs = ['portico', 'empty window'] as const satisfies readonly Program[];
/** Cold: a folder without data, and so without Chromium's caches. */
const starts = ['cold', 'warm'] as const;

/** Starts of the installed app beside those of a window with nothing in it, turn by turn. */
export async function benchStart({ rounds, tell }: { rounds: number; tell: Teller }): Promise<void> {
  const paints = (start: string, program: Program) => `${start} ${program}`;
  const times = new Map<string, number[]>();
  const note = (name: string, ms: number) => times.set(name, [...(times.get(name) ?? []), ms]);
  const opened = await withWindows(async ({ open }) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const program of programs) {
        for (const start of starts) {
          tell.doing(`${program}, ${start}, round ${round + 1} of ${rounds}`);
          const running = await open(program, `${program}-${round}`);
          const { firstPaintMs, interactiveMs } = await getTimes(running);
          note(paints(start, program), firstPaintMs);
          if (interactiveMs !== null) note(`${start} interactive`, interactiveMs);
          await close(running);
        }
      }
    }
    for (const start of starts) {
      const floor = { of: 'empty window', values: times.get(paints(start, 'empty window')) ?? [] };
      const row = (what: string, name: string) =>
        tell.row(toRow({ row: `${start} start to ${what}`, unit: 'ms', values: times.get(name) ?? [], floor }));
      row('first paint', paints(start, 'portico'));
      row('a composer that takes words', `${start} interactive`);
    }
  });
  if (!opened) tell.doing('nothing is measured: there is no Electron here');
}
