// `npm run build` builds the app if its sources have changed since the last build. A command that runs afterwards sees
// that the build is up to date, and doesn't rebuild files that another program has open.
import { prepare, run } from './bootstrap.mjs';

await run(() => {
  prepare();
  return 0;
});
