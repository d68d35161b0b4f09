import { nanoUsd } from '#shared/money.ts';
import type { TokenUsage } from '#shared/price.ts';
import { priceFromText, priceText } from '../../models/prices/price-json.ts';
import type { LedgerEvent } from '../decide-commands.ts';
import type { Settlement } from '../ledger.ts';
import type { OpenedRequest } from '../ledger-batch.ts';

/**
 * How an event is written into the write-ahead log: a JSON array that begins with its kind. Integers beyond 2^53 are strings. New
 * values are appended to the end of a kind, so logs of older versions stay readable.
 */

const kinds = { open: 0, raise: 1, renew: 2, close: 3 } as const;

const openedColumns: Readonly<Record<keyof OpenedRequest, 'text' | 'integer'>> = {
  id: 'text',
  account_id: 'text',
  key_id: 'text',
  instance_id: 'text',
  created: 'integer',
  day: 'text',
  provider: 'text',
  model: 'text',
  purpose: 'text',
  conversation_id: 'text',
  end_user: 'text',
  metadata: 'text',
  byok: 'integer',
  hold: 'integer',
  lease_until: 'integer',
};
const opened = Object.keys(openedColumns) as (keyof OpenedRequest)[];

const tokens = [
  ...(['promptTokens', 'completionTokens', 'cachedTokens', 'cacheWriteTokens', 'reasoningTokens'] as const),
  ...(['audioTokens', 'cacheWriteHourTokens', 'searches', 'imageTokens'] as const),
] satisfies (keyof TokenUsage)[];

type Plain = string | number | null;

export function toEventText(event: LedgerEvent): string {
  switch (event.do) {
    case 'open':
      return openText(event.row);
    case 'raise':
      return JSON.stringify([kinds.raise, event.id, plain(event.by), ...movedTo(event)]);
    case 'renew':
      return JSON.stringify([kinds.renew, event.id, plain(event.lease_until)]);
    case 'close':
      return closeText(event);
  }
}

/** Throws when the text isn't an event that this version knows: another version wrote it. */
export function parseEvent(text: string): LedgerEvent {
  const [kind, ...values] = JSON.parse(text) as [number, ...unknown[]];
  const [id, amount] = values as [string, Plain];
  switch (kind) {
    case kinds.open:
      return { do: 'open', row: openedFrom(values as Plain[]) };
    case kinds.raise:
      return { do: 'raise', id, by: integer(amount), ...movedFrom(values) };
    case kinds.renew:
      return { do: 'renew', id, lease_until: integer(amount) };
    case kinds.close:
      return closeFrom(values);
    default:
      throw new Error(`a step of the journal is of a kind ${kind} that this version does not know`);
  }
}

/** The model that a raised request moves to, if it does. */
const movedTo = ({ provider, model }: Extract<LedgerEvent, { do: 'raise' }>): readonly string[] =>
  provider === undefined || model === undefined ? [] : [provider, model];
const movedFrom = ([, , provider, model]: readonly unknown[]) =>
  typeof provider === 'string' && typeof model === 'string' ? { provider, model } : {};

const plain = (value: string | bigint | null): Plain =>
  typeof value !== 'bigint' ? value : Number.isSafeInteger(Number(value)) ? Number(value) : String(value);

const integer = (value: unknown): bigint => BigInt(value as string | number);

const openedFrom = (values: readonly Plain[]): OpenedRequest =>
  Object.fromEntries(
    opened.map((column, index) => {
      const value = values[index] ?? null;
      return [column, openedColumns[column] === 'integer' ? integer(value ?? 0) : value];
    }),
  ) as unknown as OpenedRequest;

// Written out as literals, in the order of `openedColumns` and `closeFrom`: a loop over names would cost as much as everything
// else that a command does.
const openText = (row: OpenedRequest): string =>
  JSON.stringify([
    kinds.open,
    row.id,
    row.account_id,
    row.key_id,
    row.instance_id,
    plain(row.created),
    row.day,
    row.provider,
    row.model,
    row.purpose,
    row.conversation_id,
    row.end_user,
    row.metadata,
    plain(row.byok),
    plain(row.hold),
    plain(row.lease_until),
  ]);

function closeText({ settlement: end, ended, entryId }: Extract<LedgerEvent, { do: 'close' }>): string {
  const { usage } = end;
  // biome-ignore format: values in their order
  const head = JSON.stringify([
    kinds.close, end.requestId, Number(ended), entryId, end.status, end.errorCode, plain(end.charge), end.byokFeeBps ?? 0,
    plain(end.upstreamCost), end.estimated ? 1 : 0, end.provider, end.model, end.firstTokenMs, end.totalMs,
    [
      usage.promptTokens, usage.completionTokens, usage.cachedTokens, usage.cacheWriteTokens, usage.reasoningTokens,
      usage.audioTokens ?? 0, usage.cacheWriteHourTokens ?? 0, usage.searches ?? 0, usage.imageTokens ?? 0,
    ],
  ]);
  const price = end.price ? priceText(end.price) : 'null';
  const upTo = JSON.stringify(plain(end.costUpTo ?? 0n));
  return `${head.slice(0, -1)},${price},${end.routing ?? 'null'},${upTo}]`;
}

function closeFrom(values: readonly unknown[]): LedgerEvent {
  const [requestId, ended, entryId, status, errorCode, charge, byokFeeBps, upstreamCost, estimated] = values;
  const [provider, model, firstTokenMs, totalMs, counts, price, routing, costUpTo = 0] = values.slice(9);
  const settlement = {
    requestId,
    status,
    errorCode,
    provider,
    model,
    firstTokenMs,
    totalMs,
    charge: nanoUsd(integer(charge)),
    upstreamCost: nanoUsd(integer(upstreamCost)),
    estimated: estimated === 1,
    ...(byokFeeBps === 0 ? {} : { byokFeeBps }),
    ...(costUpTo === 0 ? {} : { costUpTo: nanoUsd(integer(costUpTo)) }),
    usage: Object.fromEntries(tokens.map((name, index) => [name, (counts as number[])[index] ?? 0])),
    price: price === null ? null : priceFromText(JSON.stringify(price)),
    routing: routing === null ? null : JSON.stringify(routing),
  } as unknown as Settlement;
  return { do: 'close', settlement, ended: integer(ended), entryId: entryId as string | null };
}
