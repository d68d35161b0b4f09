import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Returns the program of a thread by its name without extension. It's beside this module when run from source, and beside or
 * above it in a bundle.
 */
export const threadProgram = (name: string): string =>
  [`./${name}.ts`, `./${name}.js`, `../${name}.js`]
    .map((file) => fileURLToPath(new URL(file, import.meta.url)))
    .find((path) => existsSync(path)) ?? `${name}.js`;
