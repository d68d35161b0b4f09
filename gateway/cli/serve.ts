import { defaultPort } from './environment-help.ts';
import { type GatewayCommand, UsageError } from './gateway-command.ts';
import type { ServeFlags } from './server.ts';

const configForm =
  'JSON: {"providers": {"openai": {"apiKey": {"env": "OPENAI_KEY"}}, "cellar": {"kind": "ollama", "baseUrl": ' +
  '"http://10.0.0.5:11434/v1"}}, "plans": {"team": {"models": ["openai/*"]}}, "sandbox": true, "hosts": [], ' +
  '"aliases": {"fast-code": "openai/gpt-5.6-sol"}}; docs/gateway.md has all of it';

export function define(program: GatewayCommand): void {
  program
    .command('serve')
    .description('serves the gateway until it is told to stop')
    .option('--port <N>', 'port to serve on, 0 for any free one', readPort, defaultPort)
    .option('--host <H>', 'address to bind', '127.0.0.1')
    .option('--config <FILE>', configForm)
    .option('--log-requests', 'write a line for every request, not only for those that fail')
    .example('gateway serve --port 8788 --db gateway.db', 'gateway serve --db postgres://user@db.example/portico')
    .action(async (flags: ServeFlags, { database }: GatewayCommand) => {
      // The server is loaded only to serve: help shows this command, too.
      const { serve } = await import('./server.ts');
      await serve({ ...flags, database, env: process.env });
    });
}

/** Port 0 stands for any free one. */
function readPort(given: string): number {
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port must be a number from 0 to 65535, not "${given}".`);
  return port;
}
