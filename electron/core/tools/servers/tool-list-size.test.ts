import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { connectMcp } from './mcp-connection.ts';

const listing = fileURLToPath(new URL('../../../../tests/support/mcp/listing.ts', import.meta.url));

async function connect(...args: string[]) {
  const connection = await connectMcp({
    transport: { type: 'stdio', command: process.execPath, args: [listing, ...args], folder: null, variables: [] },
    secrets: {},
    searchPath: null,
    version: '0.0.0',
    fetch,
    closed: () => {},
  });
  onTestFinished(() => connection.close());
  return connection;
}

test('the complete tool list of a server with a hundred tools and rich schemas is read', async () => {
  expect((await connect('100', '60')).tools).toHaveLength(100);
});

test.each([
  ['one tool of 20,000 fields', ['1', '20000'], /^Its tool tool_0_0 is too large/],
  ['50 tools of 1,000 fields', ['50', '1000'], /^Its tools are too large together, from tool_0_/],
  ['endless pages of tools', ['1', '1', 'endless'], /did not terminate/],
])('a server is refused with an explanation when it lists %s', async (_name, args, sentence) => {
  await expect(connect(...args)).rejects.toMatchObject({
    code: 'tool_server_failed',
    message: expect.stringMatching(sentence),
  });
});
