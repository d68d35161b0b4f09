// `npm run gateway -- …` runs the gateway's command line, and builds it first if necessary.
import { join } from 'node:path';
import { environment, prepare, root, run } from './bootstrap.mjs';
import { foreground } from './child.mjs';

await run((words) => {
  const node = prepare();
  return foreground(node, [join(root, 'dist', 'gateway', 'cli.js'), ...words], { env: environment(node) });
});
