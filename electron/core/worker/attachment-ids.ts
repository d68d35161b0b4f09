import Sqlite from 'better-sqlite3';

const tables = ['messages', 'drafts', 'queued_messages', 'folders'];
const namedIn = (table: string) =>
  `select json_extract(file.value, '$.id') as id from ${table}, json_each(${table}.attachments) file
    where ${table}.attachments <> '[]'`;

/**
 * Returns the ids of the attachments that a database references in messages, drafts, queued messages and projects. An
 * older database lacks some of these tables. Runs in the worker.
 */
export function attachmentIds(path: string): string[] {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    const has = db.prepare("select 1 from pragma_table_info(?) where name = 'attachments'");
    const named = tables.filter((table) => has.get(table)).map(namedIn);
    if (named.length === 0) return [];
    const rows = db.prepare(named.join(' union ')).all() as { id: string }[];
    return rows.map(({ id }) => id).filter((id) => /^[0-9a-f]{64}$/.test(id));
  } finally {
    db.close();
  }
}
