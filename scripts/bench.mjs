// `npm run bench`: what Portico costs beside floors written for the purpose, measured in one run.
import { join } from 'node:path';
import { environment, prepare, root, run } from './bootstrap.mjs';
import { foreground } from './child.mjs';
import { chromium } from './chromium.mjs';

await run((words) => {
  const node = prepare();
  const browser = !words.includes('--only') || words.includes('chat') ? { PORTICO_CHROMIUM: chromium(node) } : {};
  return foreground(node, [join(root, 'tests', 'bench', 'main.ts'), ...words], {
    env: { ...environment(node), ...browser },
  });
});
