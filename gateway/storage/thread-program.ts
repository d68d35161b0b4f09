import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The program of a thread, by its name without an ending: beside this module where it runs from its source; beside or above it where it was bundled. */
export const threadProgram = (name: string): string =>
  [`./${name}.ts`, `./${name}.js`, `../${name}.js`]
    .map((file) => fileURLToPath(new URL(file, import.meta.url)))
    .find((path) => existsSync(path)) ?? `${name}.js`;
