import { AppError } from '#shared/errors.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { BooksDb } from '../db/open.ts';
import type { ApiKeyRow } from '../db/schema.ts';

/** Why a key may not reserve an amount as things stand at the moment, or null; reserves nothing. */
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

/** What would be left of a key's limit, below zero where it is short; null where there is none or nothing to cover. */
export const keyMargin = ({ spend_limit: limit, spent, held }: Limited, amount: bigint): bigint | null =>
  amount === 0n || limit === null ? null : limit - spent - held - amount;

/**
 * The first of a key and those that minted it, oldest first, whose limit an amount would pass, as an error; else null. A key
 * that a limited key minted spends from that key's limit too, so that minting never makes a limit larger.
 */
export function shortageOf(keys: readonly Limited[], amount: bigint): AppError | null {
  for (const key of keys) {
    const left = keyMargin(key, amount);
    if (left !== null && left < 0n) return shortage(key, left, amount);
  }
  return null;
}

function shortage({ spend_limit: limit }: Limited, margin: bigint, amount: bigint): AppError {
  const left = margin + amount;
  const available = formatUsd(nanoUsd(left > 0n ? left : 0n));
  const needed = formatUsd(nanoUsd(amount));
  const limitUsd = formatUsd(nanoUsd(limit ?? 0n));
  return new AppError(
    'key_spend_limit_exceeded',
    `This API key may spend $${limitUsd} in all: this request may cost up to $${needed}, $${available} are left. Raise the key's limit or use another key.`,
    { details: { limit_usd: limitUsd, needed_usd: needed, available_usd: available } },
  );
}
