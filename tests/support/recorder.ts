import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolTransportInput } from '#shared/contract/app/tools.ts';

/** A program that writes a file as soon as it runs, and a way to see whether it ever ran. */
export function recorder() {
  const file = join(mkdtempSync(join(tmpdir(), 'portico-recorder-')), 'it ran');
  const transport = (more: readonly string[] = []): Extract<ToolTransportInput, { type: 'stdio' }> => ({
    type: 'stdio',
    command: process.execPath,
    args: ['--eval', 'require("node:fs").writeFileSync(process.argv[1], "")', file, ...more],
    folder: null,
    variables: {},
  });
  return { file, transport, hasRun: () => existsSync(file) };
}
