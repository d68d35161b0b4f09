import type { Database } from 'better-sqlite3';
import { type RepricedUsage, type RepriceInput, repriceUsage } from '#gateway/ledger/records/reprice-usage.ts';

/**
 * Prices past requests on other models. Adds what the app's chats know of them: which ones called tools, and which ones
 * had an image. Runs in the worker.
 */
export function whatIfTask(chats: Database, input: Omit<RepriceInput, 'needs'>): RepricedUsage {
  return repriceUsage({ ...input, needs: needsOfAnswers(chats, input) });
}

/**
 * The abilities that requests needed, by request id. An image anywhere earlier in the chat counts as sent along, even
 * if it is in another branch.
 */
function needsOfAnswers(chats: Database, { startMs, endMs }: { startMs: number; endMs: number }) {
  const answers = chats
    .prepare(
      `select m.request_id, m.tool_calls <> '[]', exists (
        select 1 from messages q where q.conversation_id = m.conversation_id and q.created_at <= m.created_at
          and q.attachments <> '[]' and q.attachments like '%"kind":"image"%'
      ) from messages m
      where m.role = 'assistant' and m.request_id is not null and m.created_at >= ? and m.created_at < ?`,
    )
    .raw()
    // An answer begins a moment before its request.
    .iterate(startMs - 60_000, endMs) as IterableIterator<[string, number, number]>;
  const needs = new Map<string, readonly string[]>();
  for (const [id, tools, image] of answers) {
    if (tools || image) needs.set(id, [...(tools ? ['tools'] : []), ...(image ? ['vision'] : [])]);
  }
  return needs;
}
