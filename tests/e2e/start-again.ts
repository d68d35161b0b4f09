import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { RunningApp } from './app.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Starts the program once more with a link or a file, in this folder, as the system does when one is opened. */
export async function startAgain(app: RunningApp, opened: string, cwd = root): Promise<void> {
  const program = app.main?.process().spawnfile;
  if (!program) throw new Error('This is a journey of the installed app');
  const flags = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  const again = spawn(program, [...flags, root, '--data-dir', app.dataFolder, opened], { stdio: 'ignore', cwd });
  await once(again, 'exit');
}
