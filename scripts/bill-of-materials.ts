// `npm run package -- --sbom FILE` writes the bill of materials of a release, as CycloneDX
// (https://cyclonedx.org/docs/1.5/json/).
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copied } from './asset-licenses.ts';
import { lockedPackages, withDependencies } from './locked-packages.ts';
import { npmJson } from './npm-json.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The part of a CycloneDX document that is used here. */
export interface BillOfMaterials {
  readonly bomFormat: 'CycloneDX';
  readonly components: readonly Component[];
}

export interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  /** `required` means that it ships, `excluded` that it's for building and testing only. */
  readonly scope?: 'required' | 'optional' | 'excluded';
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly unknown[];
}

/**
 * Returns npm's own document, with each package marked by whether it ships. npm can't know that: almost all packages
 * are development dependencies, because the bundles contain their code. `built` is a folder with the licences of the
 * bundles, as the build leaves them. Throws if something ships that npm's document doesn't contain.
 */
export async function billOfMaterials(built: string): Promise<BillOfMaterials> {
  const bill = (await npmJson(['sbom', '--sbom-format', 'cyclonedx'])) as BillOfMaterials;
  const ships = shipped(built);
  const named = new Set(bill.components.map(({ purl }) => purl));
  const unknown = [...ships].filter((url) => !named.has(url));
  if (unknown.length > 0) throw new Error(`what ships is not in the lock file: ${unknown.join(', ')}`);
  const components = bill.components.map((component): Component => {
    const scope = ships.has(component.purl) ? 'required' : 'excluded';
    return {
      ...component,
      scope,
      properties: component.properties?.filter(({ name }) => name !== 'cdx:npm:package:development') ?? [],
    };
  });
  return { ...bill, components };
}

/** Returns the package URLs of everything that ships: bundled, copied, native modules, and Electron. */
export function shipped(built: string): ReadonlySet<string> {
  const lists = globSync('*/licenses.md', { cwd: built });
  if (lists.length === 0) throw new Error(`there is no licenses.md in ${built}: build first`);
  const bundled = lists.flatMap((file) => bundledIn(readFileSync(join(built, file), 'utf8')));
  const locked = [...lockedPackages().values()];
  const outside = locked.filter(
    ({ dev, name, path }) => !dev || (name === 'electron' && path === 'node_modules/electron'),
  );
  return new Set([...bundled, ...[...outside, ...withDependencies(copied)].map(packageUrl)]);
}

/** Returns the package URLs in Vite's list of licences. */
export const bundledIn = (licenses: string): readonly string[] =>
  [...licenses.matchAll(/^## (\S+) - (\S+) \((.+)\)$/gm)].map(([, name = '', version = '']) =>
    packageUrl({ name, version }),
  );

/** https://github.com/package-url/purl-spec */
export const packageUrl = ({ name, version }: { readonly name: string; readonly version: string }) =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out] = process.argv.slice(2);
  if (!out) throw new Error('--sbom needs a file to write to');
  const built = join(root, 'dist');
  if (!existsSync(built)) throw new Error('dist is missing: build first');
  writeFileSync(out, `${JSON.stringify(await billOfMaterials(built), null, 2)}\n`);
}
