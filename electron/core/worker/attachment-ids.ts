import Sqlite from 'better-sqlite3';

const named = ['messages', 'drafts', 'queued_messages']
  .map(
    (table) =>
      `select json_extract(file.value, '$.id') as id from ${table}, json_each(${table}.attachments) file
        where ${table}.attachments <> '[]'`,
  )
  .join(' union ');

/**
 * Ids of the attachments that a database references in messages, drafts and queued messages; none in a database older
 * than attachments. Runs in the worker.
 */
export function attachmentIds(path: string): string[] {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    const known = db.prepare("select 1 from sqlite_master where type = 'table' and name = 'attachments'").get();
    if (!known) return [];
    const rows = db.prepare(named).all() as { id: string }[];
    return rows.map(({ id }) => id).filter((id) => /^[0-9a-f]{64}$/.test(id));
  } finally {
    db.close();
  }
}
