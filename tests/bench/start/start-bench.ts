import { type Reporter, toRow } from '../rows.ts';
import { close, getTimes, type Program, withWindows } from './running-window.ts';

const programs = ['portico', 'empty window'] as const satisfies readonly Program[];
/** A cold start has an empty data folder, and so none of Chromium's caches. */
const starts = ['cold', 'warm'] as const;

/** Measures starts of the installed app in turn with starts of an empty window. */
export async function benchStart({ rounds, reporter }: { rounds: number; reporter: Reporter }): Promise<void> {
  const paints = (start: string, program: Program) => `${start} ${program}`;
  const times = new Map<string, number[]>();
  const note = (name: string, ms: number) => times.set(name, [...(times.get(name) ?? []), ms]);
  const opened = await withWindows(async ({ open }) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const program of programs) {
        for (const start of starts) {
          reporter.doing(`${program}, ${start}, round ${round + 1} of ${rounds}`);
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
      const row = (label: string, name: string) =>
        reporter.row(toRow({ row: `${start} start to ${label}`, unit: 'ms', values: times.get(name) ?? [], floor }));
      row('first paint', paints(start, 'portico'));
      row('a composer that takes words', `${start} interactive`);
    }
  });
  if (!opened) reporter.doing('nothing is measured: there is no Electron here');
}
