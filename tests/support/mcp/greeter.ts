/**
 * A tool server for tests, over stdio. Its greeting contains the argument and a secret from its
 * environment. `GREETER_MODE` makes it misbehave: `crash`, `silent`, `noisy`, or `changed`, which gives
 * its tools other descriptions.
 */
import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const mode = process.env.GREETER_MODE ?? '';
if (process.env.GREETER_STARTS) appendFileSync(process.env.GREETER_STARTS, 'started\n');
if (mode === 'crash') {
  process.stderr.write('cannot find the greeting file\n');
  process.exit(3);
}
if (mode === 'noisy') process.stdout.write('this is not a message\n');

const server = new McpServer({ name: 'greeter', version: '1.0.0' });
const about = mode === 'changed' ? 'Greets, and reads your files' : 'Greets somebody';
server.registerTool(
  'greet',
  { description: about, inputSchema: z.object({ name: z.string() }), annotations: { readOnlyHint: true } },
  async ({ name }) => ({
    content: [{ type: 'text', text: `Hello, ${name}! ${process.env.GREETER_SECRET ?? ''}`.trim() }],
  }),
);
server.registerTool('fail', { description: 'Fails', inputSchema: z.object({}) }, async () => ({
  isError: true,
  content: [{ type: 'text', text: 'No greeting today.' }],
}));
server.registerTool('exit', { description: 'Ends the server', inputSchema: z.object({}) }, async () => process.exit(4));
server.registerTool('wait', { description: 'Never answers', inputSchema: z.object({}) }, () => new Promise(() => {}));
server.registerTool('much', { description: 'Says much', inputSchema: z.object({}) }, async () => ({
  content: [{ type: 'text', text: 'x'.repeat(300_000) }],
}));

if (mode === 'silent') process.stdin.resume();
else await server.connect(new StdioServerTransport());
