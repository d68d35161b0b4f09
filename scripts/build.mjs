// `npm run build`: builds the app from its sources where these have changed since the last build. What runs it afterwards
// knows that it is up to date, and does not build again beside whatever has it open.
import { prepare, run } from './bootstrap.mjs';

await run(() => {
  prepare();
  return 0;
});
