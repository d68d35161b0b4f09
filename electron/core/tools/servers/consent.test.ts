import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ToolTransportInput } from '#shared/contract/app/tools.ts';
import { coreOfTest, type TestCoreOptions } from '../../../../tests/support/core-of-test.ts';
import { figure } from '../../../../tests/support/figures.ts';
import { recorder } from '../../../../tests/support/recorder.ts';
import type { Question } from '../../runtime/host/ask-person.ts';
import type { Host } from '../../runtime/host/host.ts';
import { openDb } from '../../storage/database/db.ts';
import { serverQuestion } from './server-question.ts';

async function start(confirm: Host['confirm'], more: TestCoreOptions = {}) {
  const core = await coreOfTest({ confirm, ...more });
  return { ...core, tools: core.client.tools };
}
const yes = async () => true;
const no = async () => false;
const getFacts = ({ facts }: Question) => facts.flatMap(({ label, lines }) => [label, ...lines]).join('\n');

/** Questions stay open until the test answers them. The newest one is last. */
function byHand() {
  const open: { question: Question; answer: (yes: boolean) => void }[] = [];
  const confirm: Host['confirm'] = (question, signal) =>
    new Promise((answer) => {
      open.push({ question, answer });
      signal.addEventListener('abort', () => answer(false));
    });
  return { open, confirm };
}

/** Starts a server that records who reached it. */
async function listener() {
  const reached: string[] = [];
  const server = createServer((request, response) => {
    reached.push(`${request.method} ${request.headers.authorization ?? 'no header'}`);
    response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(async () => void server.close());
  return { reached, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

test('without the user’s consent a page starts and reaches nothing, whatever it calls and in whatever order', async () => {
  // The clock stands still, so a slow machine doesn't appear patient.
  const { tools, client, questions } = await start(no, { elapsed: () => 0 });
  const program = recorder();
  const far = await listener();
  const json = JSON.stringify({
    mcpServers: { a: { command: process.execPath, args: ['--eval', '', 'x'] }, far: { url: far.url } },
  });
  await tools.importServers({ json });
  const { id } = await tools.addServer({ name: 'x', transport: program.transport() });
  await tools.addServer({ name: 'y', transport: { type: 'http', url: far.url, headers: { Authorization: 'abc' } } });
  for (let round = 0; round < 8; round += 1) {
    for (const server of (await tools.list()).servers) {
      const { fingerprint } = server;
      const calls = [
        () => tools.testServer({ id: server.id }),
        () => tools.enableServer({ id: server.id, enabled: true, fingerprint }),
        () => tools.disallowServer({ id: server.id }),
        () => tools.changeServer({ id, name: 'x', transport: program.transport([String(round)]) }),
        () => tools.enableServer({ id: server.id, enabled: false, fingerprint }),
      ];
      for (let index = 0; index < calls.length; index += 1)
        await calls[(index * (round + 1)) % calls.length]?.().catch(() => {});
    }
  }
  await Promise.allSettled(Array.from({ length: 200 }, () => tools.testServer({ id })));
  await client.chat.send({ messageId: 'm1', text: 'Please greet', model: 'router' });
  expect(program.hasRun()).toBe(false);
  figure('consent', 'some hundred calls without a yes: 0 programs, 0 addresses');
  expect(far.reached).toEqual([]);
  // Two questions were answered at once. Further ones need a pause first.
  expect(questions).toHaveLength(2);
  expect((await tools.list()).servers.every(({ enabled, allowed }) => !enabled && !allowed)).toBe(true);
});

test('the question shows the complete command line, with every character visible', async () => {
  const { tools, questions } = await start(no);
  const transport: ToolTransportInput = {
    type: 'stdio',
    command: '/opt/x y/run',
    args: ['--ok', 'exe\u202efdp', 'a\nb', ''],
    folder: '/srv/here',
    variables: { API_TOKEN: 'canary-4711', NODE_OPTIONS: '--require /tmp/evil.cjs', GIT_TOKEN: 'canary-4712' },
  };
  const { id } = await tools.addServer({ name: 'Portico: press Yes', transport });
  await expect(tools.testServer({ id })).rejects.toMatchObject({ code: 'not_confirmed', status: 403 });
  const [question] = questions;
  if (!question) throw new Error('nothing was asked');
  expect(question.title).toBe('Start this program?');
  // The folder as this system writes it: on Windows with the drive of the user's folder.
  const folder = resolve(homedir(), '/srv/here');
  expect(getFacts(question)).toBe(
    [
      ...['Program', '"/opt/x y/run"', 'Arguments', '--ok "exe\\u{202e}fdp" "a\\nb" ""', 'In the folder', folder],
      ...['Environment variables', '"NODE_OPTIONS=--require /tmp/evil.cjs"'],
      ...['Secrets in environment variables (values hidden)', 'API_TOKEN GIT_TOKEN'],
    ].join('\n'),
  );
  expect(JSON.stringify(question)).not.toMatch(/canary|press Yes/);
});

test('the question shows the address that is reached, so no look-alike letter passes for one of ours', async () => {
  const { tools, questions } = await start(no);
  const url = 'https://\u0430pple.example/mcp?a=\u202eb';
  const { id } = await tools.addServer({ name: 'x', transport: { type: 'http', url, headers: { 'x-key': 'abc' } } });
  await expect(tools.testServer({ id })).rejects.toMatchObject({ code: 'not_confirmed' });
  const text = questions.map(getFacts).join();
  expect(text).toContain('https://xn--pple-43d.example/mcp?a=%E2%80%AEb');
  expect(text).toContain('Headers (values are not shown)\nx-key');
});

test('input that is far too long is refused before it is formatted, which would take seconds', () => {
  const laidOut = () => {
    throw new Error('laid out');
  };
  const args = Object.assign(['-'.repeat(100_000)], { map: laidOut });
  const way = { transport: { type: 'stdio' as const, command: 'x', args, folder: null, variables: [] }, secrets: {} };
  expect(() => serverQuestion(way, 'en')).toThrow(/too long to be shown whole/);
});

test('a command line too long to be shown completely is refused without asking', async () => {
  const { tools, questions } = await start(yes);
  const program = recorder();
  const { id } = await tools.addServer({ name: 'x', transport: program.transport(['-'.repeat(4_000)]) });
  const refused = tools.testServer({ id });
  await expect(refused).rejects.toMatchObject({ code: 'invalid_input', message: /too long to be shown whole/ });
  const many = Array.from({ length: 60 }, () => 'x'.repeat(60));
  const other = await tools.addServer({ name: 'y', transport: program.transport(many) });
  await expect(tools.testServer({ id: other.id })).rejects.toMatchObject({ code: 'invalid_input' });
  expect(questions).toEqual([]);
  expect(program.hasRun()).toBe(false);
});

test('consent covers exactly what was shown, and ends with any change, removal or revocation', async () => {
  const { tools, questions } = await start(yes);
  const program = recorder();
  const { id } = await tools.addServer({ name: 'x', transport: program.transport() });
  await tools.testServer({ id });
  expect(program.hasRun()).toBe(true);
  expect((await tools.testServer({ id })).allowed).toBe(true);
  expect(questions).toHaveLength(1);
  const changed = await tools.changeServer({ id, name: 'x', transport: program.transport(['more']) });
  expect(changed.allowed).toBe(false);
  await tools.testServer({ id });
  expect(questions).toHaveLength(2);
  expect(await tools.disallowServer({ id })).toMatchObject({ allowed: false, enabled: false });
  await tools.testServer({ id });
  expect(questions).toHaveLength(3);
});

test('a new value of a variable needs new consent although the value is not shown', async () => {
  const { tools, questions } = await start(yes);
  const transport = (value: string): ToolTransportInput => ({
    type: 'stdio',
    command: process.execPath,
    args: ['--version'],
    folder: null,
    variables: { API_TOKEN: value },
  });
  const { id } = await tools.addServer({ name: 'x', transport: transport('one') });
  await tools.testServer({ id });
  await tools.changeServer({ id, name: 'x', transport: transport('two') });
  await tools.testServer({ id });
  expect(questions).toHaveLength(2);
});

test('consent never starts a different program that was put in its place meanwhile', async () => {
  const hand = byHand();
  const { tools } = await start(hand.confirm);
  const [shown, swapped] = [recorder(), recorder()];
  const { id } = await tools.addServer({ name: 'x', transport: shown.transport() });
  const first = tools.testServer({ id });
  first.catch(() => {});
  await expect.poll(() => hand.open.length).toBe(1);
  expect((await tools.list()).servers[0]).toMatchObject({ state: 'asking', allowed: false });
  const change = tools.changeServer({ id, name: 'x', transport: swapped.transport() });
  const second = tools.testServer({ id });
  second.catch(() => {});
  hand.open[0]?.answer(true);
  await change;
  await Promise.allSettled([first]);
  for (const { answer } of hand.open.slice(1)) answer(false);
  await Promise.allSettled([second]);
  expect([shown.hasRun(), swapped.hasRun()]).toEqual([false, false]);
  expect((await tools.list()).servers[0]).toMatchObject({ allowed: false });
});

test('only one question is open at a time: the same one is shown once, another one waits, and aborting closes it', async () => {
  const hand = byHand();
  const { tools } = await start(hand.confirm);
  const [firstProgram, other] = [recorder(), recorder()];
  const { id } = await tools.addServer({ name: 'one', transport: firstProgram.transport() });
  const { id: otherId } = await tools.addServer({ name: 'other', transport: other.transport() });
  const leave = new AbortController();
  const asked = [1, 2, 3].map(() => tools.testServer({ id }, { signal: leave.signal }));
  await expect.poll(() => hand.open.length).toBe(1);
  await expect(tools.testServer({ id: otherId })).rejects.toMatchObject({ code: 'confirmation_busy' });
  leave.abort();
  expect((await Promise.allSettled(asked)).every(({ status }) => status === 'rejected')).toBe(true);
  await expect.poll(async () => (await tools.list()).servers[0]?.state).toBe('off');
  expect([firstProgram.hasRun(), other.hasRun(), hand.open.length]).toEqual([false, false, 1]);
});

test('after a second refusal the user is not asked again for a while, and consent ends that pause', async () => {
  let answer = false;
  let time = 0;
  const { tools, questions } = await start(async () => answer, { elapsed: () => time });
  const { id } = await tools.addServer({ name: 'x', transport: recorder().transport() });
  await expect(tools.testServer({ id })).rejects.toMatchObject({ code: 'not_confirmed' });
  await expect(tools.testServer({ id })).rejects.toMatchObject({ code: 'not_confirmed' });
  await expect(tools.testServer({ id })).rejects.toMatchObject({
    code: 'confirmation_busy',
    message: /not ask again for 5 s/,
    data: { retryAfterMs: 5_000 },
  });
  time = 5_000;
  answer = true;
  await tools.testServer({ id });
  expect(questions).toHaveLength(3);
});

test('neither a restored backup nor a foreign database brings consent along', async () => {
  const { tools, client, questions } = await start(yes);
  const program = recorder();
  const { id } = await tools.addServer({ name: 'x', transport: program.transport() });
  await tools.testServer({ id });
  const { backups } = await client.backup.make();
  await client.backup.restore({ name: backups[0]?.name ?? '' });
  expect((await tools.list()).servers[0]).toMatchObject({ id, allowed: false });
  expect(questions).toHaveLength(1);
  await tools.testServer({ id });
  expect(questions).toHaveLength(2);
});

test('secrets of a server are sent over https or stay on this computer', async () => {
  const { tools } = await start(yes);
  const toAddress = (url: string, headers: Record<string, string> = { Authorization: 'abc' }) =>
    tools.addServer({ name: 'x', transport: { type: 'http', url, headers } });
  const refused = [
    ...['http://tools.example/mcp', 'http://10.0.0.5/mcp', 'http://localhost.evil.example/', 'http://0.0.0.0/'],
    ...['http://127.0.0.1.nip.io/', 'http://[::ffff:127.0.0.1]/', 'http://localhost./', 'http://a.localhost/'],
    ...['http://127.0.0.1@evil.example/', 'https://user:pass@tools.example/'],
  ];
  for (const url of refused) await expect(toAddress(url), url).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(toAddress('http://tools.example/mcp?key=abc', {})).rejects.toMatchObject({ code: 'invalid_input' });
  for (const url of ['https://tools.example/', 'http://127.0.0.1:9/', 'http://2130706433/', 'http://[::1]/'])
    expect(await toAddress(url)).toMatchObject({ enabled: false });
  expect(await toAddress('http://tools.example/mcp', {})).toMatchObject({ enabled: false });
  const { id } = await toAddress('https://tools.example/');
  const transport = { type: 'http', url: 'http://tools.example/', headers: { Authorization: 'abc' } } as const;
  const changed = tools.changeServer({ id, name: 'x', transport });
  await expect(changed).rejects.toMatchObject({ data: { refusal: { name: 'toolAddressClear' } } });
  expect((await tools.list()).servers.find((server) => server.id === id)).toMatchObject({
    transport: { url: 'https://tools.example/' },
  });
  const json = JSON.stringify({ mcpServers: { far: { url: 'http://far.example/', headers: { 'x-key': 'abc' } } } });
  const { added, leftOut } = await tools.importServers({ json });
  expect([added, leftOut]).toEqual([
    [],
    [{ name: 'far', reason: expect.objectContaining({ message: expect.stringMatching(/Use https/) }) }],
  ]);
});

test('a redirect never receives a tool server’s headers', async () => {
  const far = await listener();
  const server = createServer((_, response) => response.writeHead(307, { location: far.url }).end());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(async () => void server.close());
  const { tools } = await start(yes);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const { id } = await tools.addServer({ name: 'x', transport: { type: 'http', url, headers: { 'x-key': 'abc' } } });
  expect(await tools.testServer({ id })).toMatchObject({ state: 'failed' });
  expect(far.reached).toEqual([]);
});

test('a stored address that is no longer allowed to receive secrets is not reached', async () => {
  const first = await start(yes);
  const headers = { Authorization: 'Bearer canary' };
  const { id } = await first.tools.addServer({
    name: 'far',
    transport: { type: 'http', url: 'https://a.example/mcp', headers },
  });
  await first.core.close();
  const db = await openDb(join(first.dataFolder, 'portico.db'));
  const transport = JSON.stringify({ type: 'http', url: 'http://a.example/mcp', headers: ['Authorization'] });
  await db.updateTable('tool_servers').set({ transport }).execute();
  await db.destroy();
  const { tools, questions } = await start(yes, { dataFolder: first.dataFolder });
  await expect(tools.testServer({ id })).rejects.toMatchObject({ data: { refusal: { name: 'toolAddressClear' } } });
  expect(questions).toEqual([]);
});
