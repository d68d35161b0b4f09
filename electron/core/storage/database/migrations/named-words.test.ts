import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, test } from 'vitest';
import { migrations } from './migrations.ts';

test('sentences stored before texts had names stay unchanged', async () => {
  const sqlite = new Sqlite(':memory:');
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  await migrator.migrateTo('010-servers');
  sqlite.exec(`
    insert into tool_servers (id, name, transport, enabled, tools, problem, created_at)
      values ('s', 'S', '{}', 0, '[]', 'It ended.', 0), ('t', 'T', '{}', 0, '[]', null, 0);
    insert into providers (id, base_url, has_key, state, message) values ('p', '', 0, 'refused', 'No such key.');
    insert into conversations (id, title, model, created_at, updated_at) values ('c', '', '', 0, 0);
    insert into messages (id, conversation_id, role, text, reasoning, status, simulated, cost_source, cost_open, tool_calls, created_at, room)
      values ('m', 'c', 'assistant', '', '', 'done', 0, 'unknown', 0, '[]', 0, '{"summarised":null,"leftOut":2,"why":"No summary."}'),
        ('n', 'c', 'assistant', '', '', 'done', 0, 'unknown', 0, '[]', 0, '{"summarised":2,"leftOut":0,"why":null}');
    insert into queued_messages (id, conversation_id, text, attachments, model, problem) values ('q', 'c', '', '[]', '', 'Too much.');
  `);
  await migrator.migrateToLatest();

  const read = (query: string) =>
    sqlite
      .prepare(query)
      .pluck()
      .all()
      .map((text) => JSON.parse(String(text)));
  expect(read('select problem from tool_servers order by id')).toEqual([{ message: 'It ended.' }, null]);
  expect(read('select problem from providers')).toEqual([{ message: 'No such key.' }]);
  expect(read('select problem from queued_messages')).toEqual([{ message: 'Too much.' }]);
  expect(read('select room from messages order by id')).toEqual([
    { summarised: null, leftOut: 2, why: { message: 'No summary.' } },
    { summarised: 2, leftOut: 0, why: null },
  ]);
  await db.destroy();
});
