import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { connectMcp, type McpConnection, type McpOptions, onlyTo } from './mcp-connection.ts';

const greeter = fileURLToPath(new URL('../../../../tests/support/mcp/greeter.ts', import.meta.url));
const opened: McpConnection[] = [];
const never = new AbortController().signal;

afterEach(async () => {
  for (const connection of opened.splice(0)) await connection.close();
});

async function connect(secrets: Record<string, string> = {}, options: Partial<McpOptions> = {}) {
  const connection = await connectMcp({
    transport: {
      type: 'stdio',
      command: process.execPath,
      args: [greeter],
      folder: null,
      variables: Object.keys(secrets),
    },
    secrets,
    searchPath: null,
    version: '0.0.0',
    fetch,
    closed: () => {},
    ...options,
  });
  opened.push(connection);
  return connection;
}

test('a server’s tools are listed and called with its configured variables', async () => {
  const server = await connect({ GREETER_SECRET: 'psst' });
  expect(server.tools.map(({ name }) => name)).toEqual(['greet', 'fail', 'exit', 'wait', 'much']);
  expect(server.tools[0]).toMatchObject({ description: 'Greets somebody', readOnly: true });
  expect(server.tools[0]?.inputSchema).toMatchObject({ type: 'object', required: ['name'] });
  expect(await server.call('greet', { name: 'Ada' }, never)).toEqual({ text: 'Hello, Ada! psst', isError: false });
});

test('a server gets no other variables of our environment', async () => {
  process.env.PORTICO_TEST_CANARY = 'sk-canary';
  const server = await connect(
    {},
    {
      transport: {
        type: 'stdio',
        command: process.execPath,
        folder: null,
        variables: [],
        args: [
          '--eval',
          `process.env.GREETER_SECRET = String(process.env.PORTICO_TEST_CANARY); import(${JSON.stringify(pathToFileURL(greeter).href)})`,
        ],
      },
    },
  ).finally(() => delete process.env.PORTICO_TEST_CANARY);
  expect((await server.call('greet', { name: 'Ada' }, never)).text).toBe('Hello, Ada! undefined');
});

test('a server’s output schema is not run, because a pattern in it could block everything', async () => {
  const hostile = fileURLToPath(new URL('../../../../tests/support/mcp/hostile-schema.ts', import.meta.url));
  const server = await connect(
    {},
    { transport: { type: 'stdio', command: process.execPath, args: [hostile], folder: null, variables: [] } },
  );
  expect(await server.call('word', {}, never)).toEqual({ text: 'a word', isError: false });
});

test('a failing tool reports its error, and wrong arguments are the tool’s failure too', async () => {
  const server = await connect();
  expect(await server.call('fail', {}, never)).toEqual({ text: 'No greeting today.', isError: true });
  expect(await server.call('greet', { name: 7 }, never)).toMatchObject({ isError: true });
});

test('a long answer is cut, and its text mentions that', async () => {
  const { text } = await (await connect()).call('much', {}, never);
  expect(text).toMatch(/\[cut after 100000 of 300000 characters\]$/);
});

test('a call ends when it is cancelled and when its time is over', async () => {
  const server = await connect({}, { limits: { callMs: 300 } });
  const stop = new AbortController();
  const waiting = server.call('wait', {}, stop.signal);
  stop.abort(new Error('stopped by the user'));
  await expect(waiting).rejects.toThrow('stopped by the user');
  await expect(server.call('wait', {}, never)).rejects.toMatchObject({ code: 'tool_failed' });
});

test('a server that ends during a call fails the call, and the end is reported', async () => {
  let lastOutput: string | null | undefined;
  const server = await connect(
    {},
    {
      closed: (problem) => {
        lastOutput = problem;
      },
    },
  );
  await expect(server.call('exit', {}, never)).rejects.toMatchObject({ code: 'tool_failed' });
  await expect.poll(() => lastOutput).toBeNull();
});

test.each([
  ['a crashing one', { GREETER_MODE: 'crash' }, /it said: cannot find the greeting file/],
  ['a silent one', { GREETER_MODE: 'silent' }, /did not answer/],
])('the failure of a program is reported: %s', async (_name, secrets, sentence) => {
  // Only a silent server runs into the time limit. A crashing program may take its time.
  const connectMs = secrets.GREETER_MODE === 'silent' ? 1_500 : 20_000;
  await expect(connect(secrets, { limits: { connectMs } })).rejects.toMatchObject({
    code: 'tool_server_failed',
    message: expect.stringMatching(sentence),
  });
});

test('a missing program is reported as missing', async () => {
  const transport = { type: 'stdio' as const, command: '/no/such/program', args: [], folder: null, variables: [] };
  await expect(connect({}, { transport })).rejects.toMatchObject({
    code: 'tool_server_failed',
    message: expect.stringMatching(/ENOENT/),
  });
});

test('output that is not a message is ignored', async () => {
  const server = await connect({ GREETER_MODE: 'noisy' });
  expect(await server.call('greet', { name: 'Ada' }, never)).toMatchObject({ text: 'Hello, Ada!' });
});

test('addresses outside the server’s own origin are not requested, and redirects are not followed', async () => {
  const asked: [string, RequestRedirect | undefined][] = [];
  const send = onlyTo(new URL('https://tools.example/mcp'), async (input, init) => {
    asked.push([String(input), init?.redirect]);
    return new Response();
  });
  await send('https://tools.example/other');
  for (const url of ['https://evil.example/mcp', 'http://tools.example/mcp', 'https://tools.example:8443/mcp'])
    await expect(send(url)).rejects.toMatchObject({ code: 'tool_server_failed' });
  expect(asked).toEqual([['https://tools.example/other', 'error']]);
});
