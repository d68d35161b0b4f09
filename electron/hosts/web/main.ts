import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { simulatedPace } from '#core/gateways/models/simulated-pace.ts';
import { logFatal } from '#core/runtime/log/log.ts';
import { defaultDataFolder } from '#core/storage/database/data-folder.ts';
import { type RecoveryOffer, recoveryOffer } from '#core/storage/database/recovery.ts';
import { openSecretService } from '#core/storage/secrets/secret-service.ts';
import { listen } from '#gateway/http/listen.ts';
import { openGateway } from '#gateway/open-gateway.ts';
import { AppError } from '#shared/errors.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { type Flags, parseFlags } from './flags.ts';
import { type RunningWeb, startWeb } from './start-web.ts';

const usageError = 2;
const failure = 1;

const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url));

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(sentence: string, code = usageError): never {
  process.stderr.write(`portico: ${sentence}\n`);
  process.exit(code);
}

function readFlags(): Flags {
  try {
    return parseFlags(process.argv.slice(2));
  } catch (error) {
    return fail(error instanceof Error ? error.message : 'The command line was not understood.');
  }
}

async function start({ port, open, recovery }: Flags): Promise<RunningWeb> {
  const { env, platform } = process;
  return startWeb({
    version: packageJson.version,
    port,
    openBrowser: open,
    dataFolder,
    recovery,
    pageFolder: beside('../renderer'),
    env,
    platform,
    openGateway,
    listen,
    openSecrets: () => openSecretService('Portico'),
    sandboxPace: simulatedPace(env),
    workerFile: beside('./database-worker.js'),
    pageWorkerFile: beside('./page-worker.js'),
    documentWorkerFile: beside('./document-worker.js'),
    importWorkerFile: beside('./import-worker.js'),
    print,
  });
}

/** Returns advice on a database that can't be opened. */
function adviceOn({ fault, backupAt }: RecoveryOffer): string {
  const update = fault === 'newer' ? 'Install the newest version of Portico, or start' : 'Start';
  if (backupAt === null) return `${update} again with --new-database for an empty one; this file is kept beside it.`;
  const made = new Date(backupAt).toLocaleString();
  return `${update} again with --restore-newest-backup to go on from the backup of ${made}; this file is kept beside it.`;
}

/**
 * Ends gracefully on a signal. A second signal, or ten seconds, end it at once. A single Ctrl-C may arrive twice, from
 * the terminal and the parent process, so signals within a second count as one.
 */
function endOnSignals(starting: Promise<RunningWeb>): void {
  let ending = 0;
  const end = () => {
    if (ending && Date.now() - ending > 1000) process.exit(130);
    if (ending) return;
    ending = Date.now();
    setTimeout(() => process.exit(failure), 10_000).unref();
    starting
      .then((running) => running.close())
      .then(
        () => process.exit(0),
        () => process.exit(failure),
      );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const) process.on(signal, end);
}

// Files in the data folder are readable by this user only.
process.umask(0o077);
const flags = readFlags();
const dataFolder = resolve(flags.dataDir ?? defaultDataFolder(process.platform, process.env, homedir()));
const starting = start(flags);
// This comes before the link is printed, because the user may end the program right after that.
endOnSignals(starting);
const running = await starting.catch((error: unknown) => {
  logFatal(dataFolder, 'start-failed', error);
  const offer = recoveryOffer(error);
  if (error instanceof AppError) return fail(offer ? `${error.message} ${adviceOn(offer)}` : error.message);
  return fail(`could not start: ${error instanceof Error ? error.message : 'the reason is not known'}`, failure);
});
const another = process.stdin.isTTY ? 'press Enter' : `open ${running.url} and look here`;
print(`The link works once, within a minute; for another, ${another}.`);
if (process.stdin.isTTY) createInterface({ input: process.stdin }).on('line', () => running.showLink());
