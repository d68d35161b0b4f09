import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { powerLossMissing, readTrace, recorderFor } from './power-loss.ts';

const program = fileURLToPath(new URL('write-under-signals.ts', import.meta.url));

test.skipIf(powerLossMissing())('the recorder keeps working when its program is signalled during writes', () => {
  const workplace = mkdtempSync(join(tmpdir(), 'portico-recorder-'));
  onTestFinished(() => rmSync(workplace, { recursive: true, force: true }));
  const folder = join(workplace, 'data');
  mkdirSync(folder);
  const { env, trace } = recorderFor(folder, workplace);
  const options = { env: { ...process.env, ...env }, timeout: 30_000, killSignal: 'SIGKILL' } as const;
  execFileSync(process.execPath, [program, join(folder, 'file')], options);
  expect(readTrace(trace).filter(({ kind, file }) => kind === 'write' && file === 'file').length).toBeGreaterThan(200);
});
