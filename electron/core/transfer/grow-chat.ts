import { setImmediate } from 'node:timers/promises';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { ExportedConversation, ExportedMessage } from '#shared/contract/chat/exported-conversation.ts';
import type { MessageTable, Tables } from '../storage/database/db.ts';
import { inTurns } from '../storage/database/in-turns.ts';
import { addMessages, getLast, showBranch } from './add-messages.ts';

/** Of one statement, so that others get their turn. */
const rowsAtOnce = 1_000;

/** A chat that an export has been imported into before, or that it was made of. */
export interface KnownChat {
  readonly id: string;
  readonly trashed_at: number | null;
  readonly imported_until: number | null;
}

interface Growth {
  /** Each below a message that is here. */
  readonly added: readonly ExportedMessage[];
  /** For each message of the export the one here that stands for it, or for the nearest above it that was not removed. */
  readonly places: ReadonlyMap<string, string | null>;
  /** Something was written here that the export does not have. */
  readonly goesItsOwnWay: boolean;
}

/**
 * What of an exported conversation is newer than all that was imported of it. Portico's messages have their ids, those of other
 * programs are known by who said what and when. What is neither here nor newer was removed here.
 */
export async function getGrowth(db: Kysely<Tables>, chat: KnownChat, exported: ExportedConversation): Promise<Growth> {
  const places = new Map<string, string | null>();
  if (chat.trashed_at !== null) return { added: [], places, goesItsOwnWay: false };
  const rows = await toRows(db, chat.id);
  const byId = new Map<string, Row>();
  const byWords = new Map<string, Row[]>();
  for await (const some of inTurns(rows)) {
    for (const row of some) {
      byId.set(row.id, row);
      const alike = byWords.get(getKey(row));
      if (alike) alike.push(row);
      else byWords.set(getKey(row), [row]);
    }
  }
  const matched = new Map<string, Row | undefined>();
  for await (const some of inTurns(exported.messages)) {
    for (const message of some) matched.set(message.id, byId.get(message.id) ?? byWords.get(getKey(message))?.shift());
  }
  const known = new Set(matched.values());
  const until =
    chat.imported_until ?? rows.reduce((last, row) => (known.has(row) ? Math.max(last, row.createdAt) : last), 0);
  const added: ExportedMessage[] = [];
  for (const message of exported.messages) {
    const parentId = message.parentId === null ? null : (places.get(message.parentId) ?? null);
    const row = matched.get(message.id);
    // One that does not say when it was written has the time of its chat.
    const mayBeNew = message.createdAt > until || message.createdAt === exported.createdAt;
    const isNew = row === undefined && mayBeNew;
    if (isNew) added.push({ ...message, parentId });
    places.set(message.id, isNew || row?.deletion === null ? (row?.id ?? message.id) : parentId);
  }
  const living = rows.filter(({ deletion }) => deletion === null);
  return { added, places, goesItsOwnWay: living.some((row) => !known.has(row)) };
}

const getKey = ({ role, createdAt, text }: Pick<ExportedMessage, 'role' | 'createdAt' | 'text'>) =>
  `${role} ${createdAt} ${text}`;

type Row = Pick<Selectable<MessageTable>, 'id' | 'seq' | 'role' | 'text' | 'deletion'> & { readonly createdAt: number };

async function toRows(db: Kysely<Tables>, chatId: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let [after, isEnd] = [0, false]; !isEnd; await setImmediate()) {
    const some = await db
      .selectFrom('messages')
      .select(['id', 'seq', 'role', 'text', 'created_at as createdAt', 'deletion'])
      .where('conversation_id', '=', chatId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(rowsAtOnce)
      .execute();
    for (const row of some) rows.push(row);
    after = some.at(-1)?.seq ?? after;
    isEnd = some.length < rowsAtOnce;
  }
  return rows;
}

/** Adds what is new in one commit; shown is the branch of the export, unless somebody has gone on here. */
export async function growChat(
  tx: Kysely<Tables>,
  chat: KnownChat,
  exported: ExportedConversation,
  newId: () => string,
): Promise<number> {
  const { added, places, goesItsOwnWay } = await getGrowth(tx, chat, exported);
  if (added.length === 0) return 0;
  const getId = await addMessages(tx, chat.id, added, newId);
  const leaf = goesItsOwnWay ? null : getId(places.get(exported.activeLeaf ?? '') ?? null);
  if (leaf !== null) {
    await tx.updateTable('conversations').set({ active_leaf: leaf }).where('id', '=', chat.id).execute();
    await showBranch(tx, leaf);
  }
  await tx
    .updateTable('conversations')
    .set({
      updated_at: sql`max(updated_at, ${exported.updatedAt})`,
      imported_until: sql`max(coalesce(imported_until, 0), ${getLast(exported)})`,
    })
    .where('id', '=', chat.id)
    .execute();
  return added.length;
}
