import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { account } from '#shared/wire/account.ts';
import { requestList } from '#shared/wire/request-record.ts';
import {
  accountWithKey,
  beforehand,
  chat,
  read,
  run,
  serve,
  start,
  workplace,
} from '../../tests/gateway-doubles/cli-process.ts';
import { onPostgres } from '../../tests/gateway-doubles/test-database.ts';
import { earlyCompilation, rareCollection } from './server-flags.ts';

/** On Windows any signal kills a process at once, so it can't be asked to end from outside. */
const withoutSignals = process.platform === 'win32';

describe('a serving process', { timeout: 180_000 }, () => {
  test.skipIf(onPostgres())(
    'a second server on a SQLite file is refused with one sentence under any name of the file, and commands are not',
    async () => {
      const { directory, database } = await workplace();
      const { id, key } = await accountWithKey(database);
      const first = await serve(database);
      const gone = new AbortController();
      const held = async () => account.parse(await read(first.url, '/account', key)).balance?.held;
      const broken = chat(first.url, key, { prompt: 'hi', model: 'sandbox/slow' }, gone.signal).catch(() => null);
      await expect.poll(held).not.toBe('0');
      // On Windows not everybody may create a link, but a name in other letter case means the same file.
      const link = join(directory, process.platform === 'win32' ? 'LEDGER.DB' : 'link.db');
      if (process.platform !== 'win32') symlinkSync(database, link);
      for (const name of [database, link, join(directory, '.', 'x', '..', 'ledger.db')]) {
        const { code, stdout, stderr } = await run(['serve', '--port', '0', '--db', name]);
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        expect(stderr).toBe(
          `The database "${name}" is in use by another server (process ${first.child.pid}): stop that one, or give this ` +
            'one a file of its own. Only PostgreSQL serves several.\n',
        );
      }
      expect(await held()).not.toBe('0');
      expect((await run(['credit', 'grant', id, '1', '--db', database])).code).toBe(0);
      expect((await run(['ledger', 'verify', '--db', database])).code).toBe(0);
      expect(account.parse(await read(first.url, '/account', key)).balance?.amount).toBe('6');
      gone.abort();
      await broken;
      await expect.poll(held).toBe('0');
    },
  );

  test.skipIf(onPostgres())('a server that has ended, however it did, keeps no other one out', async () => {
    const { database } = await workplace();
    const first = await serve(database);
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    const note = `${database}.lock.pid`;
    expect(readFileSync(note, 'utf8')).toContain(String(first.child.pid));
    // A process with this number is alive but isn't a server: the note is for people and doesn't decide anything.
    writeFileSync(note, `${process.pid} ${hostname()}\n`);
    const second = await serve(database);
    expect(readFileSync(note, 'utf8')).toContain(String(second.child.pid));
    second.child.kill('SIGTERM');
    if (withoutSignals) await once(second.child, 'exit');
    else expect(await once(second.child, 'exit')).toEqual([0, null]);
    expect(existsSync(note)).toBe(withoutSignals);
    writeFileSync(`${database}.lock`, 'not a lock');
    await serve(database);
  });

  test.runIf(onPostgres())(
    'a second server on PostgreSQL runs beside the first and leaves its requests alone',
    async () => {
      const { database } = await workplace();
      const { key } = await accountWithKey(database);
      const first = await serve(database);
      const gone = new AbortController();
      const held = async (url: string) => account.parse(await read(url, '/account', key)).balance?.held;
      const broken = chat(first.url, key, { prompt: 'hi', model: 'sandbox/slow' }, gone.signal).catch(() => null);
      await expect.poll(() => held(first.url)).not.toBe('0');
      const second = await serve(database);
      expect(await held(second.url)).not.toBe('0');
      gone.abort();
      await broken;
      await expect.poll(() => held(second.url)).toBe('0');
    },
  );

  test.runIf(onPostgres())('a server that restarts leaves the requests of another one alone', async () => {
    const { database } = await workplace();
    const { key } = await accountWithKey(database);
    const first = await serve(database);
    const second = await serve(database);
    const gone = new AbortController();
    const held = async (url: string) => account.parse(await read(url, '/account', key)).balance?.held;
    const broken = chat(second.url, key, { prompt: 'hi', model: 'sandbox/slow' }, gone.signal).catch(() => null);
    await expect.poll(() => held(second.url)).not.toBe('0');
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    const again = await serve(database);
    expect(await held(again.url)).not.toBe('0');
    gone.abort();
    await broken;
    await expect.poll(() => held(again.url)).toBe('0');
  });

  // On PostgreSQL other instances may still serve, so a hold is only released when its lease ends (`restarts.postgres.test.ts`).
  test.skipIf(onPostgres())('a hold that kill -9 left open is released by the next start', async () => {
    const { database } = await workplace();
    const { key } = await accountWithKey(database);
    const first = await serve(database);
    const broken = chat(first.url, key, { prompt: 'hi', model: 'sandbox/slow', stream: true }).catch(() => null);
    await expect.poll(async () => account.parse(await read(first.url, '/account', key)).balance?.held).not.toBe('0');
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    await broken;
    const second = await serve(database);
    const book = account.parse(await read(second.url, '/account', key));
    expect(book.balance).toMatchObject({ amount: '5', held: '0' });
    const requests = requestList.parse(await read(second.url, '/v1/requests', key));
    expect(requests.data).toMatchObject([{ status: 'failed', error_code: 'interrupted', cost_usd: '0' }]);
  });

  test.skipIf(withoutSignals)('SIGTERM lets a running answer finish, settles it and exits with 0', async () => {
    const { database } = await workplace();
    const { key } = await accountWithKey(database);
    const { url, child } = await serve(database);
    const answer = chat(url, key, { prompt: 'hi', model: 'sandbox/tour', stream: true });
    const body = (await answer).text();
    child.kill('SIGTERM');
    expect(await body).toContain('data: [DONE]');
    const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
    expect(code).toBe(0);
    const again = await serve(database);
    const requests = requestList.parse(await read(again.url, '/v1/requests', key));
    expect(requests.data).toMatchObject([{ status: 'succeeded' }]);
  });

  test.skipIf(withoutSignals)('SIGTERM at the moment when the address is printed ends the server with 0', async () => {
    const { database } = await workplace();
    const whenItSpeaks = beforehand(`const { stdout } = process; const write = stdout.write.bind(stdout);
      stdout.write = (text) => { process.kill(process.pid, 'SIGTERM'); return write(text); };`);
    const child = start(['serve', '--port', '0', '--db', database], whenItSpeaks);
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  // Node's own undici would take 60 ms of processor time to load, besides the one that sends every request.
  test.skipIf(withoutSignals)('a server loads only its own undici, even after it has used web classes', async () => {
    const { database } = await workplace();
    const whatIsLoaded = beforehand(`process.on('exit', () => {
      process.stderr.write(process.moduleLoadList.filter((name) => name.startsWith('NativeModule')).join('\\n'));
    });`);
    const { url, child, log } = await serve(database, [], whatIsLoaded);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(log()).toContain('NativeModule net');
    expect(log()).not.toContain('undici');
  });
});

test('V8 knows each flag of a server, and its own defaults differ', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  const getSwitch = (flag: string) => {
    const [name = '', value] = flag.split('=');
    return { name, value: Number(value), usual: Number(new RegExp(`default: ${name}=(\\d+)`).exec(known)?.[1]) };
  };
  expect(earlyCompilation.map(getSwitch).filter(({ value, usual }) => !(value < usual))).toEqual([]);
  expect(rareCollection.map(getSwitch).map(({ usual }) => usual)).toEqual([2, 0]);
});
