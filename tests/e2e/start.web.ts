import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { damageDatabase } from '../support/damaged-database.ts';
import { freePort } from '../support/free-port.ts';
import { expect, test } from './app.ts';
import { articles, ask, ended } from './chat.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs `npm start -- …`, as a user types it. */
function npmStart(...words: string[]) {
  const child = spawn('npm', ['start', '--', ...words], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  return { child, output };
}

async function outcome(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const { child, output } = npmStart(...words);
  const [code] = await once(child, 'close');
  return { code, ...output };
}

test('npm start -- --web serves the app on the requested port, survives a reload while connecting, and Ctrl-C ends all its processes', async ({
  page,
  folder,
}) => {
  const port = await freePort();
  const { child } = npmStart('--web', '--no-open', '--port', String(port), '--data-dir', join(folder, 'data'));
  const url = await link(child);
  expect(url).toContain(`http://127.0.0.1:${port}/#b=`);
  // Reloads after the server has opened a session and before the page knows of it.
  const letIn = Promise.withResolvers<number>();
  await page.route('**/session', async (route) => letIn.resolve((await route.fetch()).status()), { times: 1 });
  await page.goto(url);
  expect(await letIn.promise).toBe(200);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Try it now' })).toBeVisible();
  process.kill(-Number(child.pid), 'SIGINT');
  const [code, signal] = await once(child, 'close');
  // npm forwards the signal and then dies of it itself.
  expect(['0', '130', 'SIGINT']).toContain(String(code ?? signal));
  await expect.poll(() => answers(port)).toBe(false);
});

test('a supervisor that ends only npm ends the app as well', async ({ folder }) => {
  const port = await freePort();
  const { child } = npmStart('--web', '--no-open', '--port', String(port), '--data-dir', join(folder, 'data'));
  await link(child);
  expect(await answers(port)).toBe(true);
  child.kill('SIGTERM');
  await expect.poll(() => answers(port)).toBe(false);
});

test('--help lists every flag', async () => {
  const { code, out } = await outcome('--help');
  expect(code).toBe(0);
  for (const flag of ['--web', '--port', '--no-open', '--data-dir', '--help']) expect(out).toContain(flag);
});

test('a wrong flag, a wrong port, a taken port and an unwritable folder each get one sentence and exit code 2', async ({
  folder,
}) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  await writeFile(join(folder, 'file'), '');
  const cases = [
    [['--wbe'], /--wbe/],
    [['--web', '--port', 'http'], /--port/],
    [['--web', '--no-open', '--port', String(port), '--data-dir', join(folder, 'data')], new RegExp(`${port}`)],
    [['--web', '--no-open', '--data-dir', join(folder, 'file', 'below')], /cannot be written/],
  ] as const;
  for (const [words, sentence] of cases) {
    const { code, err } = await outcome(...words);
    const messages = err.split('\n').filter((line) => line.startsWith('portico: '));
    expect({ words, code, messages }).toEqual({ words, code: 2, messages: [expect.stringMatching(sentence)] });
  }
  taken.close();
});

test('a database that cannot be opened is reported with a command that brings the chats back', async ({
  launch,
  folder,
}) => {
  const app = await launch();
  await app.page.getByRole('button', { name: 'Try it now' }).click();
  await ask(app.page, 'What is a portico?');
  await ended(articles(app.page).nth(1));
  await app.close();
  await damageDatabase(app.dataFolder);
  const words = ['--web', '--no-open', '--data-dir', app.dataFolder];
  const { code, err } = await outcome(...words);
  expect(code).toBe(2);
  expect(err).toContain(
    `The database of your chats cannot be opened: it is damaged. Its file is ${join(folder, 'data', 'portico.db')}.`,
  );
  expect(err).toContain('--restore-newest-backup');
  const log = await readFile(join(app.dataFolder, 'logs', 'portico.log'), 'utf8');
  expect(log).toContain('"event":"start-failed"');
  const { child } = npmStart(...words, '--restore-newest-backup');
  await link(child);
  child.kill('SIGTERM');
  // npm ends before the app does, and the app holds the data folder and npm's output until then.
  await once(child, 'close');
  const { page } = await launch();
  await expect(page.getByRole('link', { name: 'What is a portico?' })).toBeVisible();
});

async function link(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no output');
  for await (const line of createInterface(child.stdout)) {
    const found = /http:\/\/\S+/.exec(line);
    if (found) return found[0];
  }
  throw new Error('npm start ended without a link');
}

const answers = (port: number) =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
