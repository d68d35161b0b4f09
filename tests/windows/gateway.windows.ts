import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { windowsPath } from '../../scripts/wine.mjs';
import { expect, test } from './on-windows.ts';

const question = { model: 'sandbox/echo', prompt: 'Does it run?' };

test('a gateway on Windows serves, is killed and serves again with an exact ledger and an exact copy of it', async ({
  folder,
  start,
}) => {
  const inFolder = (name: string) => windowsPath(join(folder, name));
  const run = async (...args: string[]) => {
    const program = start('gateway/cli.js', args);
    const code = await program.ended();
    expect(code, program.errors()).toBe(0);
    return program.output().trim().split('\n').at(-1) ?? '';
  };
  const serve = async (database: string) => {
    const program = start('gateway/cli.js', ['serve', '--port', '0', '--db', database]);
    return { program, url: await program.waitForOutput(/^Portico gateway on (http:\/\/127\.0\.0\.1:\d+)$/m) };
  };
  const database = inFolder('ledger.db');
  const account = await run('account', 'create', '--name', 'Team', '--db', database);
  await run('credit', 'grant', account, '5', '--db', database);
  const key = await run('key', 'create', account, '--scope', 'chat,account', '--db', database);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const ask = async (url: string) => {
    const answer = await fetch(`${url}/chat`, { method: 'POST', headers, body: JSON.stringify(question) });
    expect(await answer.text()).toContain('Does it run?');
    expect(answer.status).toBe(200);
  };
  const read = async (url: string, path: string) => (await fetch(`${url}${path}`, { headers })).json();

  const first = await serve(database);
  await ask(first.url);
  const refused = start('gateway/cli.js', ['serve', '--port', '0', '--db', inFolder('LEDGER.DB')]);
  expect([await refused.ended(), refused.errors()]).toEqual([
    2,
    expect.stringContaining('is in use by another server'),
  ]);
  await first.program.kill();

  const second = await serve(database);
  await ask(second.url);
  await run('backup', 'create', inFolder('copy.db'), '--db', database);
  expect((await read(second.url, '/v1/requests')).data).toHaveLength(2);
  const balance = (await read(second.url, '/account')).balance;
  expect(Number(balance.amount)).toBeLessThan(5);
  expect(balance.held).toBe('0');
  // Ctrl-C ends the gateway normally, and it releases its file.
  expect(await second.program.interrupt()).toBe(0);
  expect(await run('ledger', 'verify', '--db', database)).toContain('The books are exact');

  const restored = inFolder('restored.db');
  await run('backup', 'restore', inFolder('copy.db'), '--db', restored);
  await copyFile(join(folder, 'ledger.db.pepper'), join(folder, 'restored.db.pepper'));
  expect(await run('ledger', 'verify', '--db', restored)).toContain('The books are exact');
  const third = await serve(restored);
  expect((await read(third.url, '/account')).balance).toEqual(balance);
  await ask(third.url);
});
