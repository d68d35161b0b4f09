import { expect, test } from 'vitest';
import { accountWithKey, command, read, run, serve, workplace } from '../../tests/gateway-doubles/cli-process.ts';
import { onPostgres } from '../../tests/gateway-doubles/test-database.ts';
import { openDatabase } from '../storage/open-database.ts';

const right = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };
const wrong = { PORTICO_KEY_PEPPER: 'another one of more than thirty-two characters' };
const both = { PORTICO_KEY_PEPPER: `${wrong.PORTICO_KEY_PEPPER},${right.PORTICO_KEY_PEPPER}` };
const refused = /^The key secret is not the one that this database's keys and tokens were made with: .+\n$/;

/** Creates an account with a user and a key, by commands with the right secret. */
async function team() {
  const { database } = await workplace();
  const on = (...words: string[]) => [...words, '--db', database];
  const { last: account } = await command(on('account', 'create', '--name', 'Team'), right);
  const { last: user } = await command(on('user', 'create', account, '--name', 'Ada'), right);
  const { last: key } = await command(on('key', 'create', account, '--scope', 'account'), right);
  const issue = on('token', 'issue', '--sub', user);
  return { database, on, account, user, key, issue };
}

test('every command that makes a key or token refuses a wrong secret and works with the right one', {
  timeout: 60_000,
}, async () => {
  const { database, on, account, issue } = await team();
  const makers = [on('key', 'create', account), issue, on('token', 'rotate'), on('token', 'rotate', '--at-once')];
  for (const words of makers) {
    const { code, stdout, stderr } = await command(words, wrong);
    expect({ code, stdout }, words.join(' ')).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(refused);
  }
  for (const words of makers) expect((await command(words, right)).code, words.join(' ')).toBe(0);
  // Commands that only read, or that grant credits, need no secret.
  expect((await command(on('key', 'list', account), wrong)).code).toBe(0);
  expect((await command(on('credit', 'grant', account, '1'), wrong)).code).toBe(0);
  const { code, stdout, stderr } = await run(['serve', '--port', '0', '--db', database], wrong);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(refused);
});

test('a server starts with the new secret before the old one, and later with the new one alone', {
  timeout: 60_000,
}, async () => {
  const { database, on, account, key } = await team();
  const during = await serve(database, [], both);
  expect(await read(during.url, '/account', key)).toMatchObject({ id: account });
  const { last: newKey } = await command(on('key', 'create', account, '--scope', 'account'), both);
  during.child.kill('SIGTERM');
  const after = await serve(database, [], wrong);
  expect(await read(after.url, '/account', newKey)).toMatchObject({ id: account });
  expect(await read(after.url, '/account', key)).toMatchObject({ error: { code: 'invalid_api_key' } });
});

test('the server that starts first determines the secret of a new database', { timeout: 60_000 }, async () => {
  const { database } = await workplace();
  const on = (...words: string[]) => [...words, '--db', database];
  const { last: account } = await command(on('account', 'create', '--name', 'Team'), wrong);
  const { last: user } = await command(on('user', 'create', account, '--name', 'Ada'), wrong);
  const server = await serve(database, [], right);
  for (const words of [on('key', 'create', account), on('token', 'issue', '--sub', user)])
    expect((await command(words, wrong)).stderr).toMatch(refused);
  expect((await command(on('token', 'issue', '--sub', user), right)).code).toBe(0);
  server.child.kill('SIGTERM');
});

test('a server accepts another secret as long as no key or token was made', { timeout: 60_000 }, async () => {
  const { database } = await workplace();
  const mistaken = await serve(database, [], wrong);
  mistaken.child.kill('SIGTERM');
  await serve(database, [], right);
  const { last: account } = await command(['account', 'create', '--name', 'Team', '--db', database], right);
  expect((await command(['key', 'create', account, '--db', database], right)).code).toBe(0);
});

/** Turns the database into one from before check values. */
async function forgetSecrets(database: string): Promise<void> {
  const { db } = await openDatabase(database);
  await db.deleteFrom('key_secrets').execute();
  await db.destroy();
}

test('an older database records its secret when it decrypts the token keys', { timeout: 60_000 }, async () => {
  const { database, issue } = await team();
  await command(issue, right);
  await forgetSecrets(database);
  expect((await command(issue, right)).code).toBe(0);
  expect((await command(issue, wrong)).stderr).toMatch(refused);
});

test('an older database records its secret when the first API key is used', { timeout: 60_000 }, async () => {
  const { database, on, account, key } = await team();
  await forgetSecrets(database);
  // Nothing proves yet that this secret is wrong, and it must not be recorded as the right one.
  const unproven = await serve(database, [], wrong);
  expect(await read(unproven.url, '/account', key)).toMatchObject({ error: { code: 'invalid_api_key' } });
  expect((await command(on('key', 'create', account), wrong)).code).toBe(0);
  unproven.child.kill('SIGTERM');
  const proven = await serve(database, [], right);
  expect(await read(proven.url, '/account', key)).toMatchObject({ id: account });
  await expect.poll(async () => (await command(on('key', 'create', account), wrong)).stderr).toMatch(refused);
  expect((await command(on('key', 'create', account), right)).code).toBe(0);
});

test('token rotate --at-once creates new keys when the old ones cannot be decrypted', { timeout: 60_000 }, async () => {
  const { database, on, issue } = await team();
  await command(issue, right);
  const { db } = await openDatabase(database);
  const before = await db.selectFrom('token_keys').select('kid').execute();
  await db
    .updateTable('token_keys')
    .set({ sealed_key: Buffer.alloc(1_300, 1) })
    .execute();
  await db.destroy();
  for (const words of [issue, on('token', 'rotate')]) {
    const { code, stderr } = await command(words, right);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('gateway token rotate --at-once') });
  }
  const { code, stdout } = await command([...on('token', 'rotate', '--at-once'), '--json'], right);
  expect(code).toBe(0);
  const keys = JSON.parse(stdout) as { kid: string; state: string }[];
  expect(keys.map(({ state }) => state).toSorted()).toEqual(['signing', 'standby']);
  expect(keys.filter(({ kid }) => before.some((old) => old.kid === kid))).toEqual([]);
  expect((await command(issue, right)).code).toBe(0);
  expect((await command(on('token', 'rotate'), right)).code).toBe(0);
});

test('secret replace replaces a lost secret', { timeout: 60_000 }, async () => {
  const { database, on, account, key, issue } = await team();
  await command(issue, right);
  const needless = await command(on('secret', 'replace'), both);
  expect(needless).toMatchObject({ code: 1, stderr: expect.stringContaining('there is nothing to replace') });
  expect((await command(on('secret', 'replace'), wrong)).code).toBe(0);
  expect((await command(on('token', 'rotate', '--at-once'), wrong)).code).toBe(0);
  expect((await command(issue, wrong)).code).toBe(0);
  const { last: newKey } = await command(on('key', 'create', account, '--scope', 'account'), wrong);
  expect((await command(on('key', 'create', account), right)).stderr).toMatch(refused);
  const { url } = await serve(database, [], wrong);
  expect(await read(url, '/account', newKey)).toMatchObject({ id: account });
  expect(await read(url, '/account', key)).toMatchObject({ error: { code: 'invalid_api_key' } });
});

test.skipIf(onPostgres())(
  'the error names the variable when it overrides the secret file of a SQLite database',
  async () => {
    const { database } = await workplace();
    const { id } = await accountWithKey(database);
    const { code, stderr } = await command(['key', 'create', id, '--db', database], wrong);
    expect(code).toBe(1);
    expect(stderr).toContain('or leave it unset where that keeps its secret in the file DB.pepper');
  },
);
