import { appendFileSync } from 'node:fs';

/**
 * Loaded first by each process of a run whose guards say when they refuse (`sayingWhenRefused`): writes each guard once with the test
 * file that made it refuse, a line of JSON for each. In a program that a test has started the file is not known.
 */
const { PORTICO_REFUSALS: path } = process.env;
const noted = new Set<string>();

interface Said {
  guardRefused?: (guard: string) => void;
  readonly __vitest_worker__?: { readonly filepath?: string };
}

const said = globalThis as Said;
said.guardRefused = (guard) => {
  const line = JSON.stringify({ guard, test: said.__vitest_worker__?.filepath ?? null });
  if (path === undefined || noted.has(line)) return;
  noted.add(line);
  appendFileSync(path, `${line}\n`);
};
