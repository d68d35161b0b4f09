// `npm run proof` runs the tests of the numbers that must hold, and writes docs/proof.md.
import { join } from 'node:path';
import { environment, prepare, root, run } from './bootstrap.mjs';
import { foreground } from './child.mjs';

await run((words) => {
  const node = prepare();
  return foreground(node, [join(root, 'tests', 'proof', 'main.ts'), ...words], { env: environment(node) });
});
