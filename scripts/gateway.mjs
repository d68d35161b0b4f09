// `npm run gateway -- …`: the gateway's command line, built if need be.
import { join } from 'node:path';
import { environment, prepare, root, run } from './bootstrap.mjs';
import { foreground } from './child.mjs';

await run((words) => {
  const node = prepare();
  return foreground(node, [join(root, 'dist', 'gateway', 'cli.js'), ...words], { env: environment(node) });
});
