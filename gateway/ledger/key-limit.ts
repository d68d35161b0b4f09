import { AppError } from '#shared/errors.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { BooksDb, BooksTransaction } from '../db/open.ts';
import type { ApiKeyRow } from '../db/schema.ts';
import { lockKeys } from './statements.ts';

/**
 * Why a key may not reserve an amount, or null. A key that a limited key minted spends from that key's limit too, so
 * that minting never makes a limit larger. The rows stay locked until the transaction ends (SQLite has one writer).
 */
export async function keyShortage(trx: BooksTransaction, keyId: string, amount: bigint): Promise<AppError | null> {
  if (amount === 0n) return null;
  const { rows } = await lockKeys(trx, { id: keyId });
  return shortageOf(rows, amount);
}

/** The same as it stands at the moment, without reserving anything and without locks. */
export async function keyShortageNow(db: BooksDb, keyId: string, amount: bigint): Promise<AppError | null> {
  if (amount === 0n) return null;
  const rows: Limited[] = [];
  for (let id: string | null = keyId; id !== null; ) {
    const row: (Limited & { parent_id: string | null }) | undefined = await db
      .selectFrom('api_keys')
      .select(['spend_limit', 'spent', 'held', 'parent_id'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (row) rows.push(row);
    id = row?.parent_id ?? null;
  }
  return shortageOf(rows, amount);
}

type Limited = Pick<ApiKeyRow, 'spend_limit' | 'spent' | 'held'>;

/** The first of a key and those that minted it, oldest first, whose limit an amount would pass, as an error; else null. */
export function shortageOf(keys: readonly Limited[], amount: bigint): AppError | null {
  if (amount === 0n) return null;
  for (const { spend_limit: limit, spent, held } of keys) {
    if (limit !== null && limit - spent - held < amount) return shortage(limit, spent, held, amount);
  }
  return null;
}

function shortage(limit: bigint, spent: bigint, held: bigint, amount: bigint): AppError {
  const left = limit - spent - held;
  const available = formatUsd(nanoUsd(left > 0n ? left : 0n));
  const needed = formatUsd(nanoUsd(amount));
  const limitUsd = formatUsd(nanoUsd(limit));
  return new AppError(
    'key_spend_limit_exceeded',
    `This API key may spend $${limitUsd} in all: this request may cost up to $${needed}, $${available} are left. Raise the key's limit or use another key.`,
    { details: { limit_usd: limitUsd, needed_usd: needed, available_usd: available } },
  );
}
