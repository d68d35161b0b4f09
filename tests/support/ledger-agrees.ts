import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';

interface ChatCost {
  readonly id: string;
  readonly conversation: string;
  readonly request: string | null;
  readonly usd: string | null;
  readonly source: string;
}

interface Charged {
  readonly id: string;
  readonly name: string | null;
  readonly conversation: string | null;
  readonly amount: bigint;
}

/**
 * Describes every disagreement between the chats of a data folder and the ledger of the gateway inside it, to the
 * nano-dollar. The list is empty if they agree: the cost that a chat calls billed was charged for that request, every
 * charge of a chat is in that chat, and the sums of each chat are equal. No request may be running.
 */
export function disagreements(dataFolder: string): string[] {
  const chatCosts = toRows<ChatCost>(
    join(dataFolder, 'portico.db'),
    `select spend.id, spend.conversation_id as conversation, spend.request_id as request, spend.cost_usd as usd,
        spend.cost_source as source from spend left join messages on messages.id = spend.id
      where coalesce(spend.request_id, spend.client_request_id, messages.client_request_id) is not null`,
  );
  const charged = toRows<Charged>(
    join(dataFolder, 'gateway.db'),
    `select requests.id, json_extract(requests.metadata, '$.client_request_id') as name,
        requests.conversation_id as conversation, coalesce(-sum(ledger_entries.amount), 0) as amount
      from requests left join ledger_entries on ledger_entries.request_id = requests.id group by requests.id`,
  );
  const wrong: string[] = [];
  const booked = new Map(charged.map(({ id, amount }) => [id, amount]));
  for (const { id, request, usd, source } of chatCosts) {
    if (source !== 'billed' || usd === null || request === null) continue;
    const amount = booked.get(request);
    // Another gateway served this request, so the charge is in that gateway's ledger.
    if (amount === undefined) continue;
    if (amount !== parseUsd(usd)) wrong.push(`${id} says ${usd}, ${request} was charged ${inUsd(amount)}`);
  }
  const known = new Map(chatCosts.flatMap((row) => [[row.id, row] as const, [row.request ?? row.id, row] as const]));
  const sums = new Map<string, { chat: bigint; ledger: bigint; unknown: boolean }>();
  for (const { id, name, conversation, amount } of charged) {
    if (conversation === null) continue;
    const row = known.get(id) ?? known.get(name ?? '');
    if (!row && amount > 0n) wrong.push(`${id} of chat ${conversation} was charged ${inUsd(amount)} and is in no chat`);
    if (!row) continue;
    const sum = sums.get(conversation) ?? { chat: 0n, ledger: 0n, unknown: false };
    sums.set(conversation, sum);
    sum.ledger += amount;
    sum.chat += parseUsd(row.usd ?? '0');
    sum.unknown ||= row.usd === null;
  }
  for (const [id, { chat, ledger, unknown }] of sums)
    if (!unknown && chat !== ledger) wrong.push(`chat ${id} sums up to ${inUsd(chat)}, the ledger to ${inUsd(ledger)}`);
  return wrong;
}

const inUsd = (amount: bigint) => formatUsd(nanoUsd(amount));

function toRows<Row>(file: string, sql: string): Row[] {
  if (!existsSync(file)) return [];
  const db = new Sqlite(file, { readonly: true });
  try {
    return db.prepare(sql).safeIntegers().all() as Row[];
  } finally {
    db.close();
  }
}
