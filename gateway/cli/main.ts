import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { runCommand } from './program.ts';
import { setServerFlags } from './server-flags.ts';

// Books, lock and key secret are for their owner only.
process.umask(0o077);

// A process report says much that helps, and would say the environment: provider keys, key secret, database password.
if (process.report) process.report.excludeEnv = true;

// Whoever reads the output may stop reading (`| head -1`); a server must outlive the reader of its log.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// What V8 compiled is there for the next start: beside the built program, where only those write who may change it anyway.
if (import.meta.filename.endsWith('.js')) enableCompileCache(join(import.meta.dirname, 'compiled'));

const words = process.argv.slice(2);

if (words.includes('serve')) {
  setServerFlags();
  // Before the server is loaded, which extends and keeps the classes of the web.
  await import('../providers/upstream/web-classes.ts');
}

await runCommand(words);
