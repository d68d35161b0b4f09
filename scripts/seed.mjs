// `npm run seed` fills a data folder with believable conversations and a ledger that agrees with them.
import { join } from 'node:path';
import { environment, prepare, root, run } from './bootstrap.mjs';
import { foreground } from './child.mjs';

await run((words) => {
  const node = prepare();
  return foreground(node, [join(root, 'tests', 'seed', 'main.ts'), ...words], { env: environment(node) });
});
