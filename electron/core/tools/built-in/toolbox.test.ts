import { expect, test } from 'vitest';
import type { ToolServer } from '#shared/contract/app/tools.ts';
import { openDb } from '../../storage/database/db.ts';
import { permissionStore } from '../servers/permission-store.ts';
import { builtInTools } from './built-in-tools.ts';
import { openToolbox } from './toolbox.ts';

const never = new AbortController().signal;
const toolNamed = (name: string) => ({
  name,
  title: name,
  description: '',
  inputSchema: { type: 'object' },
  readOnly: false,
});
const server = (change: Partial<ToolServer> = {}): ToolServer => ({
  id: 's1',
  name: 'My files',
  enabled: true,
  state: 'ready',
  problem: null,
  fingerprint: 'f1',
  changed: false,
  allowed: true,
  transport: { type: 'http', url: 'https://tools.example.org', headers: [] },
  tools: [toolNamed('read')],
  ...change,
});

async function open(servers: () => ToolServer[]) {
  const db = await openDb(':memory:');
  const chat = { title: 'A chat', model: 'router', active_leaf: null, created_at: 0, updated_at: 0 };
  await db
    .insertInto('conversations')
    .values([
      { id: 'c1', ...chat },
      { id: 'c2', ...chat },
    ])
    .execute();
  await db
    .insertInto('tool_servers')
    .values({
      id: 's1',
      name: 's',
      transport: '{}',
      enabled: 1,
      tools: '[]',
      seen_fingerprint: null,
      problem: null,
      created_at: 0,
    })
    .execute();
  let ids = 0;
  const calls: unknown[] = [];
  const toolbox = openToolbox({
    builtIn: builtInTools({ now: () => 0, fetchPage: async (url) => `text of ${url}` }),
    isOn: async (name) => name !== 'current_time',
    servers: {
      list: async () => servers(),
      reach: async () => ({
        tools: [],
        call: async (name, input) => {
          calls.push([name, input]);
          return { text: 'done', isError: false };
        },
        close: async () => {},
      }),
    },
    permissions: permissionStore(db),
    now: () => 0,
    newId: () => `p${++ids}`,
  });
  return { toolbox, calls };
}
const named = async (toolbox: Awaited<ReturnType<typeof open>>['toolbox'], wireName: string) => {
  const found = (await toolbox.offered()).find((tool) => tool.wireName === wireName);
  if (!found) throw new Error(`${wireName} is not offered`);
  return found;
};

test('enabled and trusted tools are offered under unique names that providers accept', async () => {
  const { toolbox } = await open(() => [
    server(),
    server({ id: 's2', name: 'my/files' }),
    server({ id: 's3', name: 'Changed', changed: true }),
    server({ id: 's4', name: 'Off', enabled: false }),
    server({ id: 's6', name: 'Unasked', allowed: false }),
    server({ id: 's5', name: '文件', tools: [toolNamed('读'), toolNamed('写'), toolNamed('x'.repeat(200))] }),
  ]);
  const names = (await toolbox.offered()).map(({ wireName }) => wireName);
  expect(names.slice(0, 4)).toEqual(['calculator', 'fetch_page', 'My_files__read', 'my_files__read']);
  expect(new Set(names).size).toBe(names.length);
  expect(names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
  expect(names.join()).not.toMatch(/Changed|Off|Unasked/);
});

test('a tool that reaches the network never runs unasked, and a permission covers one tool of one unchanged server in its chats', async () => {
  let now = server();
  const { toolbox } = await open(() => [now]);
  expect(await toolbox.isPermitted(await named(toolbox, 'calculator'), 'c1')).toBe(true);
  expect(await toolbox.isPermitted(await named(toolbox, 'fetch_page'), 'c1')).toBe(false);
  const read = await named(toolbox, 'My_files__read');
  await toolbox.permit(read, 'chat', 'c1');
  expect(await toolbox.isPermitted(read, 'c1')).toBe(true);
  expect(await toolbox.isPermitted(read, 'c2')).toBe(false);
  await toolbox.permit(read, 'always', 'c1');
  expect(await toolbox.isPermitted(read, 'c2')).toBe(true);
  now = server({ fingerprint: 'f2' });
  expect(await toolbox.isPermitted(await named(toolbox, 'My_files__read'), 'c1')).toBe(false);
});

test('a tool gets its arguments as an object, and anything else is refused with an explanation', async () => {
  const { toolbox, calls } = await open(() => [server()]);
  const read = await named(toolbox, 'My_files__read');
  expect(await toolbox.run(read, '{"path":"a"}', never)).toEqual({ text: 'done', isError: false });
  expect(await toolbox.run(read, ' ', never)).toEqual({ text: 'done', isError: false });
  expect(calls).toEqual([
    ['read', { path: 'a' }],
    ['read', {}],
  ]);
  for (const broken of ['{"path":', '[1]', '"a"', 'null'])
    expect(await toolbox.run(read, broken, never)).toMatchObject({ isError: true, text: /not a JSON object/ });
  const calculator = await named(toolbox, 'calculator');
  expect(await toolbox.run(calculator, '{"expression":"6*7"}', never)).toEqual({ text: '42', isError: false });
  expect(await toolbox.run(calculator, '{"expression":7}', never)).toMatchObject({ isError: true });
  expect(await toolbox.run(calculator, '{}', never)).toMatchObject({ isError: true, text: /"expression" is missing/ });
  expect(await toolbox.run({ ...calculator, tool: 'abacus' }, '{}', never)).toMatchObject({ isError: true });
  const clock = { ...calculator, tool: 'current_time' };
  expect(await toolbox.run(clock, '{"time_zone":7}', never)).toMatchObject({
    isError: true,
    text: /"time_zone"/,
  });
  const nowhere = await toolbox.run(clock, '{"time_zone":"Atlantis/Poseidonis"}', never);
  expect(nowhere).toMatchObject({ isError: true, text: /no time zone "Atlantis/ });
});

test('a server that turns out to have changed on connecting is not called', async () => {
  let now = server();
  const { toolbox, calls } = await open(() => [now]);
  const read = await named(toolbox, 'My_files__read');
  for (const change of [{ fingerprint: 'f2' }, { changed: true }, { enabled: false }, { allowed: false }]) {
    now = server(change);
    expect(await toolbox.run(read, '{}', never)).toMatchObject({ isError: true, text: /not what it was/ });
  }
  expect(calls).toEqual([]);
});
