// `npm run package -- --audit [ADVISORY]…` lists the vulnerabilities that the registry knows in the
// packages that ship (https://docs.npmjs.com/cli/commands/npm-audit), except for the named advisories,
// which somebody has already reviewed.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { packageUrl, shipped } from './bill-of-materials.ts';
import { lockedPackages } from './locked-packages.ts';
import { npmJson } from './npm-json.ts';

/** An advisory in npm's report. A string in its place names another package through which this one is affected. */
const advisory = z.object({ title: z.string(), url: z.string(), severity: z.string() });
const report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      via: z.array(z.union([z.string(), advisory])),
      /** Paths in `package-lock.json`. */
      nodes: z.array(z.string()),
    }),
  ),
});
/** https://docs.github.com/en/code-security/concepts/vulnerability-reporting-and-management/github-advisory-database */
const isAdvisory = /^GHSA(-[0-9a-z]{4}){3}$/;

export interface Audit {
  /** 0: no package that ships has a vulnerability, except accepted ones. 1: one has. 2: the check failed. */
  readonly exitCode: 0 | 1 | 2;
  readonly lines: readonly string[];
}

/**
 * Runs the audit. `built` is a folder with the licences of the bundles, as the build leaves them. `accepted` contains
 * ids of advisories (`GHSA-…`).
 */
export async function audit(
  built: string,
  accepted: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Audit> {
  const unreadable = accepted.find((id) => !isAdvisory.test(id));
  if (unreadable !== undefined) return notKnown(`"${unreadable}" is no advisory's id, as GHSA-xxxx-xxxx-xxxx is`);
  const printed = await npmJson(['audit', '--json'], env);
  const read = report.safeParse(printed);
  if (!read.success) return notKnown(`the registry was asked for advisories, and gave none: ${whyNot(printed)}`);
  const locked = lockedPackages();
  const ships = shipped(built);
  const all = Object.values(read.data.vulnerabilities).flatMap(({ via, nodes }) => {
    const urls = [...new Set(nodes.map((path) => packageUrl(locked.get(path) ?? { name: path, version: '' })))];
    const advisories = via.filter((entry) => typeof entry !== 'string');
    return urls.flatMap((url) => advisories.map((entry) => ({ ...entry, package: url, ships: ships.has(url) })));
  });
  const found = all.filter((entry) => entry.ships);
  const unused = accepted.find((id) => !found.some(({ url }) => url.endsWith(`/${id}`)));
  if (unused !== undefined) return notKnown(`nothing that ships is concerned by ${unused}: it need not be accepted`);
  const open = found.filter(({ url }) => !accepted.some((id) => url.endsWith(`/${id}`)));
  const summary = `${ships.size} packages ship: ${open.length} known vulnerabilities, ${found.length - open.length} accepted; ${all.length - found.length} in what only builds and tests`;
  return {
    exitCode: open.length === 0 ? 0 : 1,
    lines: [...open.map((entry) => `${entry.severity}: ${entry.package}: ${entry.title} (${entry.url})`), summary],
  };
}

const notKnown = (sentence: string): Audit => ({ exitCode: 2, lines: [sentence] });

const whyNot = (printed: unknown) =>
  z.object({ message: z.string() }).safeParse(printed).data?.message ?? JSON.stringify(printed).slice(0, 500);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { exitCode, lines } = await audit(join(import.meta.dirname, '..', 'dist'), process.argv.slice(2));
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = exitCode;
}
