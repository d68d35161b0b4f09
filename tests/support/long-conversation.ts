import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/**
 * Writes a conversation of this many messages, questions and answers in turn, into the data folder of a core that was
 * opened there before. Message `long-<n>` contains `<n>` in words that a search finds.
 */
export function addLongConversation(dataFolder: string, messages: number, id = 'long'): string {
  const db = new Sqlite(join(dataFolder, 'portico.db'));
  db.pragma('busy_timeout = 60000');
  const name = (index: number) => `${id}-${index}`;
  const now = Date.now();
  const insert = db.prepare(`insert into messages
    (id, conversation_id, parent_id, role, text, status, model, model_name, simulated, cost_usd, cost_source, created_at, finished_at)
    values (?, ?, ?, ?, ?, 'done', ?, ?, ?, ?, ?, ?, ?)`);
  db.transaction(() => {
    db.prepare('insert into conversations (id, title, model, created_at, updated_at) values (?, ?, ?, ?, ?)').run(
      ...[id, 'The long one', 'sandbox/echo', now - messages, now],
    );
    for (let index = 0; index < messages; index += 1) {
      const asks = index % 2 === 0;
      insert.run(
        ...[name(index), id, index === 0 ? null : name(index - 1), asks ? 'user' : 'assistant', getText(index)],
        ...(asks ? [null, null, 0, null] : ['sandbox/echo', 'Sandbox Echo', 1, '0.000001']),
        ...[asks ? 'unknown' : 'billed', now - messages + index, now - messages + index],
      );
    }
    db.prepare('update conversations set active_leaf = ? where id = ?').run(name(messages - 1), id);
  })();
  db.close();
  return id;
}

/** Makes texts of different lengths: a line, a list, a page. */
function getText(index: number): string {
  if (index % 2 === 0) return `Question number ${index}: what stands on line ${index}?`;
  const lines = Array.from({ length: 1 + ((index * 7) % 9) }, (_, line) => `- point ${line} of answer ${index}`);
  return `Answer number ${index}.\n\n${lines.join('\n')}\n\nThat is **all** of ${index}.`;
}
