import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { formatUsd } from '#shared/money.ts';
import { openDb } from '../../electron/core/storage/database/db.ts';
import { seedAttachments } from './attachments.ts';
import { type Subject, subjects } from './vocabulary.ts';
import type { SeedConversation, SeedMessage } from './world.ts';

/** Writes conversations to `portico.db` as the app would. */
export async function writeChats(
  folder: string,
  conversations: Iterable<SeedConversation>,
  nowMs: number,
): Promise<void> {
  const path = join(folder, 'portico.db');
  // The app's own code creates the schema. After that a faster connection writes, which may lose data in a power cut.
  const own = await openDb(path);
  const filesFor = await seedAttachments(own, folder, nowMs);
  await own.destroy();
  const db = new Sqlite(path);
  db.pragma('synchronous = OFF');
  db.pragma('foreign_keys = ON');
  const write = writerInto(db, filesFor);
  db.exec('begin');
  write.folders();
  let written = 0;
  for (const conversation of conversations) {
    write.conversation(conversation);
    written += conversation.messages.length;
    if (written < 20_000) continue;
    written = 0;
    db.exec('commit; begin');
  }
  write.spend();
  write.settings();
  db.exec('commit');
  db.pragma('wal_checkpoint(truncate)');
  db.close();
}

function writerInto(db: Sqlite.Database, filesFor: (subject: Subject) => readonly Attachment[]) {
  const folder = db.prepare('insert or ignore into folders (id, name, created_at) values (?, ?, ?)');
  const begin = db.prepare(
    'insert into conversations (id, title, model, active_leaf, created_at, updated_at) values (?, ?, ?, ?, ?, ?)',
  );
  const place = db.prepare('update conversations set folder_id = ?, pinned = ?, archived_at = ? where id = ?');
  const tag = db.prepare('insert into conversation_tags (conversation_id, tag) values (?, ?)');
  const add = db.prepare(`insert into messages (id, conversation_id, parent_id, role, text, reasoning, status, model,
    served_provider, served_model, model_name, simulated, finish_reason, usage, cost_usd, cost_source, request_id, source,
    error, created_at, first_token_at, finished_at, attachments)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const setting = db.prepare('insert or ignore into settings (name, value) values (?, ?)');
  return {
    folders() {
      for (const name of new Set(subjects.map((subject) => subject.folder))) folder.run(folderId(name), name, 0);
    },
    /** In the app a trigger records this for each answer that ends. */
    spend() {
      db.exec(`insert into spend (id, conversation_id, request_id, purpose, simulated, cost_usd, cost_source, at)
        select id, conversation_id, request_id, 'chat', simulated, cost_usd, cost_source, created_at
        from messages where request_id is not null`);
    },
    settings() {
      setting.run('user', JSON.stringify({ welcomed: true }));
    },
    conversation({ id, title, subject, messages, activeLeaf, ...place_ }: SeedConversation) {
      const last = messages.at(-1);
      const model = messages.findLast((message) => message.request)?.request?.model.id ?? 'router';
      const updated = last?.created ?? 0;
      begin.run(id, title, model, activeLeaf, messages[0]?.created ?? 0, updated);
      for (const message of messages) {
        const files = message.role === 'user' ? filesFor(subject) : [];
        add.run(...columns(id, message), JSON.stringify(files));
      }
      const { inFolder, pinned, archived } = place_;
      place.run(inFolder ? folderId(subject.folder) : null, pinned ? 1 : 0, archived ? updated : null, id);
      for (const name of subject.tags) tag.run(id, name);
    },
  };
}

const folderId = (name: string) => `folder-${name.toLowerCase()}`;
const statuses = { succeeded: 'done', failed: 'error', cancelled: 'cancelled' } as const;

function columns(conversationId: string, { request, ...message }: SeedMessage): unknown[] {
  const own = [message.id, conversationId, message.parentId, message.role, message.text, message.reasoning];
  if (!request) {
    const none = Array.from({ length: 4 }, () => null);
    return [
      ...own,
      'done',
      ...none,
      0,
      null,
      null,
      null,
      'unknown',
      null,
      null,
      null,
      message.created,
      null,
      message.created,
    ];
  }
  const { model, usage } = request;
  const failed = request.status === 'failed';
  const counted = {
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    cachedTokens: usage.cachedTokens,
    reasoningTokens: usage.reasoningTokens,
  };
  const error = { code: 'upstream_overloaded', message: 'The provider is overloaded.', retryAfterMs: null };
  return [
    ...own,
    statuses[request.status],
    ...[model.id, model.provider, model.model, model.name, model.simulated ? 1 : 0],
    request.status === 'succeeded' ? 'stop' : null,
    failed ? null : JSON.stringify(counted),
    ...[formatUsd(request.charge), 'billed', request.id, model.simulated ? 'embedded/sandbox' : 'embedded/main'],
    failed ? JSON.stringify(error) : null,
    ...[request.created, request.firstTokenMs && request.created + request.firstTokenMs, request.ended],
  ];
}
