import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type OpenOperator, openOperator } from '../../../gateway/cli/on-database.ts';
import { bareEnvironment } from '../../gateway-doubles/bare-environment.ts';
import { sharedDatabase, sharedSecrets } from '../../gateway-doubles/test-database.ts';
import { builtCli } from '../../support/built-cli.ts';

const entry = await builtCli();

/** Starts a gateway in a process of its own, as an operator does. The test's operator opens the same ledger. */
export async function startServingGateway(settings: { readonly env: Record<string, string>; readonly config: object }) {
  const directory = mkdtempSync(join(tmpdir(), 'portico-compat-'));
  const database = await sharedDatabase(directory);
  const secrets = sharedSecrets();
  const config = join(directory, 'config.json');
  writeFileSync(config, JSON.stringify(settings.config));
  const child = spawn(process.execPath, [entry, 'serve', '--port', '0', '--db', database, '--config', config], {
    env: bareEnvironment({ ...secrets, ...settings.env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (piece) => {
    log += piece;
  });
  const reader = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(reader, 'line'), once(child, 'close')]);
  const url = /^Portico gateway on (http:\S+)$/.exec(String(line))?.[1];
  if (!url) throw new Error(`the gateway did not start: ${log}`);
  const gatewayDb: OpenOperator = await openOperator({ database, env: secrets, now: Date.now, mayCreate: false });
  return {
    url,
    baseUrl: `${url}/v1`,
    operator: gatewayDb.operator,
    log: () => log,
    async close() {
      await gatewayDb.close();
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
