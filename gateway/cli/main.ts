import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { runCommand } from './program.ts';
import { setServerFlags } from './server-flags.ts';

// The database, its lock and the key secret must be readable by their owner only.
process.umask(0o077);

// A process report is useful, but it would contain the environment with provider keys, the key secret and the database password.
if (process.report) process.report.excludeEnv = true;

// The reader of the output may stop reading (`| head -1`), and a server must outlive the reader of its log.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// Keeps V8's compiled code for the next start, beside the built program: whoever may write there may change the program anyway.
if (import.meta.filename.endsWith('.js')) enableCompileCache(join(import.meta.dirname, 'compiled'));

const words = process.argv.slice(2);

if (words.includes('serve')) {
  setServerFlags();
  // Must be loaded before the server, whose modules extend the web classes and keep references to them.
  await import('../providers/upstream/web-classes.ts');
}

await runCommand(words);
