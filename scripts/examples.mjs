// `npm run examples` records the examples of the OpenAPI document anew, after an answer of the gateway has changed.
import { join } from 'node:path';
import { environment, prepareSources, root, run } from './bootstrap.mjs';
import { foreground } from './child.mjs';

await run(() => {
  const node = prepareSources();
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const test = 'tests/contract/gateway/examples.test.ts';
  return foreground(node, [vitest, 'run', '--update', '--project', 'node', test], {
    cwd: root,
    env: environment(node),
  });
});
