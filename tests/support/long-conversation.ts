import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/**
 * Writes a conversation of so many messages, question and answer in turn, into the data folder of a core that has opened
 * it once. Message `long-<n>` says `<n>` in words that can be searched for.
 */
export function addLongConversation(dataFolder: string, messages: number, id = 'long'): string {
  const db = new Sqlite(join(dataFolder, 'portico.db'));
  db.pragma('busy_timeout = 60000');
  const name = (at: number) => `${id}-${at}`;
  const now = Date.now();
  const insert = db.prepare(`insert into messages
    (id, conversation_id, parent_id, role, text, status, model, model_name, simulated, cost_usd, cost_source, created_at, finished_at)
    values (?, ?, ?, ?, ?, 'done', ?, ?, ?, ?, ?, ?, ?)`);
  db.transaction(() => {
    db.prepare('insert into conversations (id, title, model, created_at, updated_at) values (?, ?, ?, ?, ?)').run(
      ...[id, 'The long one', 'sandbox/echo', now - messages, now],
    );
    for (let at = 0; at < messages; at += 1) {
      const asks = at % 2 === 0;
      insert.run(
        ...[name(at), id, at === 0 ? null : name(at - 1), asks ? 'user' : 'assistant', getText(at)],
        ...(asks ? [null, null, 0, null] : ['sandbox/echo', 'Sandbox Echo', 1, '0.000001']),
        ...[asks ? 'unknown' : 'billed', now - messages + at, now - messages + at],
      );
    }
    db.prepare('update conversations set active_leaf = ? where id = ?').run(name(messages - 1), id);
  })();
  db.close();
  return id;
}

/** Lengths of all kinds: a line, a list, a page. */
function getText(at: number): string {
  if (at % 2 === 0) return `Question number ${at}: what stands on line ${at}?`;
  const lines = Array.from({ length: 1 + ((at * 7) % 9) }, (_, line) => `- point ${line} of answer ${at}`);
  return `Answer number ${at}.\n\n${lines.join('\n')}\n\nThat is **all** of ${at}.`;
}
