// `npm run package -- --audit [ADVISORY]…`: what the registry knows of vulnerabilities in what ships
// (https://docs.npmjs.com/cli/commands/npm-audit), but for the advisories that somebody has looked at and names.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { packageUrl, shipped } from './bill-of-materials.ts';
import { lockedPackages } from './locked-packages.ts';
import { npmJson } from './npm-json.ts';

/** An advisory as npm's report has it; a text in its place names a package by which this one is concerned. */
const advisory = z.object({ title: z.string(), url: z.string(), severity: z.string() });
const report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      via: z.array(z.union([z.string(), advisory])),
      /** Paths of `package-lock.json`. */
      nodes: z.array(z.string()),
    }),
  ),
});
/** https://docs.github.com/en/code-security/concepts/vulnerability-reporting-and-management/github-advisory-database */
const isAdvisory = /^GHSA(-[0-9a-z]{4}){3}$/;

export interface Audit {
  /** 0: nothing that ships has a vulnerability that is not accepted; 1: something has; 2: that could not be found out. */
  readonly exitCode: 0 | 1 | 2;
  readonly lines: readonly string[];
}

/** `built`: a folder with the licences of the bundles, as the build leaves them. `accepted`: ids of advisories (`GHSA-…`). */
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
    const advisories = via.filter((one) => typeof one !== 'string');
    return urls.flatMap((url) => advisories.map((one) => ({ ...one, package: url, ships: ships.has(url) })));
  });
  const found = all.filter((one) => one.ships);
  const unused = accepted.find((id) => !found.some(({ url }) => url.endsWith(`/${id}`)));
  if (unused !== undefined) return notKnown(`nothing that ships is concerned by ${unused}: it need not be accepted`);
  const open = found.filter(({ url }) => !accepted.some((id) => url.endsWith(`/${id}`)));
  const summary = `${ships.size} packages ship: ${open.length} known vulnerabilities, ${found.length - open.length} accepted; ${all.length - found.length} in what only builds and tests`;
  return {
    exitCode: open.length === 0 ? 0 : 1,
    lines: [...open.map((one) => `${one.severity}: ${one.package}: ${one.title} (${one.url})`), summary],
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
