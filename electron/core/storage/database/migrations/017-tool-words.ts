import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The outputs of an answer's tools, each preceded by the tool's name. Empty if there are none. */
const results = (row: string) =>
  sql.raw(`(select coalesce(group_concat(json_extract(call.value, '$.run.title') || ': ' ||
    json_extract(call.value, '$.run.result'), char(10)), '') from json_each(${row}tool_calls) call
    where json_extract(call.value, '$.run.result') <> '')`);

const add = sql`insert into tool_words (rowid, results) select new.seq, ${results('new.')} where ${results('new.')} <> ''`;
const remove = sql`insert into tool_words (tool_words, rowid, results)
  select 'delete', old.seq, ${results('old.')} where ${results('old.')} <> ''`;

const statements = [
  sql`create view tool_results (seq, results) as select seq, ${results('messages.')} from messages where tool_calls <> '[]'`,
  sql`create virtual table tool_words using fts5 (results, content = 'tool_results', content_rowid = 'seq',
    tokenize = "unicode61 remove_diacritics 2", prefix = '2 3')`,
  sql`create trigger tool_words_add after insert on messages when new.tool_calls <> '[]' begin ${add}; end`,
  sql`create trigger tool_words_change after update of tool_calls on messages when old.tool_calls <> new.tool_calls
    begin ${remove}; ${add}; end`,
  sql`create trigger tool_words_remove after delete on messages when old.tool_calls <> '[]' begin ${remove}; end`,
  sql`insert into tool_words (rowid, results) select seq, results from tool_results where results <> ''`,
];

/** Adds a full-text index of tool outputs, separate from that of the messages' own text. */
export const toolWords: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await statement.execute(db);
  },
};
