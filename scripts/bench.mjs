// `npm run bench` measures Portico next to floors that were written for comparison, in the same run.
import { join } from 'node:path';
import { environment, prepare, root, run } from './bootstrap.mjs';
import { foreground } from './child.mjs';
import { chromium } from './chromium.mjs';
import { electronRuntime } from './electron-runtime.mjs';

await run((words) => {
  const node = prepare();
  const browser =
    !words.includes('--only') || ['chat', 'start', 'footprint', 'bombs'].some((name) => words.includes(name))
      ? browsers(node)
      : {};
  return foreground(node, [join(root, 'tests', 'bench', 'main.ts'), ...words], {
    env: { ...environment(node), ...browser },
  });
});

/** Returns the programs for measuring windows: a browser, and Electron if it's installed. */
function browsers(node) {
  const { path } = electronRuntime(node, { download: false });
  return { PORTICO_CHROMIUM: chromium(node), ...(path ? { PORTICO_ELECTRON: path } : {}) };
}
