import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Words are indexed without case and accents. The prefix indexes make `ro*` and `rou*` a single lookup each. */
const words = sql.raw(`tokenize = "unicode61 remove_diacritics 2", prefix = '2 3'`);

const statements = [
  sql`create table folders (
    id text primary key,
    name text not null collate nocase unique,
    created_at integer not null
  ) strict`,
  sql`alter table conversations add column folder_id text references folders (id) on delete set null`,
  sql`alter table conversations add column pinned integer not null default 0`,
  sql`alter table conversations add column archived_at integer`,
  sql`alter table conversations add column trashed_at integer`,
  sql`alter table conversations add column import_source text`,
  sql`create unique index conversations_import on conversations (import_source) where import_source is not null`,
  sql`create index conversations_folder on conversations (folder_id, updated_at desc, id desc)`,
  sql`create index conversations_trash on conversations (trashed_at) where trashed_at is not null`,
  sql`create table conversation_tags (
    conversation_id text not null references conversations (id) on delete cascade,
    tag text not null collate nocase,
    primary key (conversation_id, tag)
  ) strict, without rowid`,
  sql`create index conversation_tags_name on conversation_tags (tag)`,
  // A new message takes its chat out of archive and trash, so a chat that is in use is never purged.
  sql`create trigger conversations_written after insert on messages
    when exists (select 1 from conversations where id = new.conversation_id
      and (trashed_at is not null or archived_at is not null))
    begin
      update conversations set trashed_at = null, archived_at = null where id = new.conversation_id;
    end`,

  // The rowid of conversations isn't its primary key, so it is stable only as long as nobody runs VACUUM on this
  // database.
  sql`create virtual table title_words using fts5 (title, content = 'conversations', content_rowid = 'rowid', ${words})`,
  sql`create trigger title_words_add after insert on conversations begin
      insert into title_words (rowid, title) values (new.rowid, new.title);
    end`,
  sql`create trigger title_words_change after update of title on conversations begin
      insert into title_words (title_words, rowid, title) values ('delete', old.rowid, old.title);
      insert into title_words (rowid, title) values (new.rowid, new.title);
    end`,
  sql`create trigger title_words_remove after delete on conversations begin
      insert into title_words (title_words, rowid, title) values ('delete', old.rowid, old.title);
    end`,
  sql`insert into title_words (rowid, title) select rowid, title from conversations`,

  // An answer is indexed only when it has ended, because its text changes many times a second before.
  sql`create virtual table message_words using fts5 (text, content = 'messages', content_rowid = 'seq', ${words})`,
  sql`create trigger message_words_add after insert on messages when new.status <> 'streaming' begin
      insert into message_words (rowid, text) values (new.seq, new.text);
    end`,
  sql`create trigger message_words_end after update of status, text on messages
    when old.status = 'streaming' and new.status <> 'streaming' begin
      insert into message_words (rowid, text) values (new.seq, new.text);
    end`,
  sql`create trigger message_words_go_on after update of status, text on messages
    when old.status <> 'streaming' and new.status = 'streaming' begin
      insert into message_words (message_words, rowid, text) values ('delete', old.seq, old.text);
    end`,
  sql`create trigger message_words_change after update of status, text on messages
    when old.status <> 'streaming' and new.status <> 'streaming' and old.text <> new.text begin
      insert into message_words (message_words, rowid, text) values ('delete', old.seq, old.text);
      insert into message_words (rowid, text) values (new.seq, new.text);
    end`,
  sql`create trigger message_words_remove after delete on messages when old.status <> 'streaming' begin
      insert into message_words (message_words, rowid, text) values ('delete', old.seq, old.text);
    end`,
  sql`insert into message_words (rowid, text) select seq, text from messages where status <> 'streaming'`,
];

/**
 * Adds folders, tags, pins, archive and trash, and the full-text index. Triggers update the index within the
 * transaction that writes.
 */
export const organise: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await statement.execute(db);
  },
};
