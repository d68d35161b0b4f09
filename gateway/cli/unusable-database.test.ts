import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { command, run, workplace } from '../../tests/gateway-doubles/cli-process.ts';

const env = { PORTICO_KEY_PEPPER: 'a secret of more than thirty-two characters' };

async function team() {
  const { database } = await workplace();
  const on = (...words: string[]) => [...words, '--db', database];
  await command(on('account', 'create', '--name', 'Team'), env);
  const backup = `${database}.copy`;
  expect(await command(on('backup', 'create', backup), env)).toMatchObject({ code: 0 });
  return { database, on, backup };
}

/** Moves the database and its files out of the way. */
function moveAway(database: string): void {
  const [folder, name] = [dirname(database), basename(database)];
  for (const file of readdirSync(folder)) {
    if (file === name || /^(-|\.(steps|lock))/.test(file.slice(name.length))) {
      if (file.startsWith(name) && !file.endsWith('.copy'))
        renameSync(join(folder, file), join(folder, `away-${file}`));
    }
  }
}

test('a damaged database is reported with instructions, and following them restores its accounts', async () => {
  const { database, on, backup } = await team();
  writeFileSync(database, 'This was a database once. '.repeat(400));
  for (const words of [on('serve', '--port', '0'), on('account', 'list')]) {
    const { code, stdout, stderr } = await run(words, env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`The database file "${database}" could not be opened: file is not a database.`);
    expect(stderr).toContain(`"gateway backup restore FILE --db ${database}"`);
  }
  moveAway(database);
  expect(await command(on('backup', 'restore', backup), env)).toMatchObject({ code: 0 });
  expect((await command(on('account', 'list'), env)).stdout).toContain('Team');
});

test('a database of a newer version is reported as such', async () => {
  const { database, on } = await team();
  new Sqlite(database).exec("insert into kysely_migration values ('9999-later', '2030-01-01T00:00:00.000Z')").close();
  const { code, stderr } = await run(on('serve', '--port', '0'), env);
  expect(code).toBe(1);
  expect(stderr).toContain('was made by a newer version of the gateway (it has 9999-later)');
});
