import { join } from 'node:path';
import type { Operator } from '#gateway/operator/operator.ts';
import type { GatewayClient } from '#shared/client/gateway-client.ts';
import type { RequestRecord } from '#shared/wire/request-record.ts';
import type { Payer } from '../connection/connections.ts';
import { askGateway } from '../connection/gateway-errors.ts';
import type { Books } from '../worker/booked-requests.ts';

export interface AccountBooksDeps {
  readonly dataFolder: string;
  /** Of the embedded gateway. */
  readonly operator: Pick<Operator, 'listKeys'>;
}

/** A gateway elsewhere tells its requests by pages: so many of its newest are read, as far as that takes no longer. */
const mostRequests = 20_000;
const pageSize = 100;
const readingMs = 45_000;
/** For one answer. */
const limitMs = 30_000;

/** The name of the app's key in its own gateway. */
const ownKeyLabel = 'Portico';

/** The books of a wallet as far as they can be read: all of them where they lie here, the newest part of them elsewhere. */
export async function accountBooks(
  { dataFolder, operator }: AccountBooksDeps,
  payer: Payer,
  signal?: AbortSignal,
): Promise<Books> {
  const { source, client } = payer;
  const within: Within = () => ({
    signal: AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(limitMs)]),
  });
  // Asking the gateway also brings into its file all that it has answered until now.
  const account = await askGateway(() => client.account(within()));
  if (!source.startsWith('embedded/')) return remoteBooks(client, account.credential?.id ?? null, within);
  const keys = await operator.listKeys(account.id ?? '');
  const own = keys.filter(
    ({ id, label, mintedBy, revokedAt }) =>
      id === account.credential?.id || (label === ownKeyLabel && mintedBy === null && revokedAt !== null),
  );
  return { file: join(dataFolder, 'gateway.db'), accountId: account.id ?? '', ownKeys: own.map(({ id }) => id) };
}

type Within = () => { readonly signal: AbortSignal };

async function remoteBooks(client: GatewayClient, ownKey: string | null, within: Within): Promise<Books> {
  const records: RequestRecord[] = [];
  const prices = new Map<string, RequestRecord['price']>();
  const until = Date.now() + readingMs;
  let whole = false;
  for (let after: string | undefined; !whole && records.length < mostRequests && Date.now() < until; ) {
    const query = { limit: pageSize, ...(after === undefined ? {} : { after }) };
    const told = await askGateway(() => client.requests(query, within()));
    for (const record of told.data) records.push(withoutRest(record, prices));
    // A gateway that says the same page again would never end.
    whole = !told.has_more || told.last_id === null || told.last_id === after;
    after = told.last_id ?? undefined;
  }
  const lines = await linesSince(client, records, within);
  return { records, whole, lines, ownKeys: ownKey === null ? [] : [ownKey] };
}

/** Thousands are held at once: equal prices once, and not how each was routed. */
function withoutRest(record: RequestRecord, prices: Map<string, RequestRecord['price']>): RequestRecord {
  const { client_request_id } = record.metadata;
  const text = JSON.stringify(record.price);
  const price = prices.get(text) ?? record.price;
  prices.set(text, price);
  return { ...record, price, routing: null, metadata: client_request_id === undefined ? {} : { client_request_id } };
}

/** The ledger's lines of these requests. Null: the gateway tells none, or not of all of them. */
async function linesSince(client: GatewayClient, records: readonly RequestRecord[], within: Within) {
  const oldest = records.at(-1)?.created ?? 0;
  const wanted = new Set(records.map(({ id }) => id));
  const lines: [string, string][] = [];
  const until = Date.now() + readingMs;
  for (let after: string | undefined; Date.now() < until; ) {
    const query = { limit: pageSize, ...(after === undefined ? {} : { after }) };
    const { transactions } = await askGateway(() => client.credits(query, within()));
    if (transactions.reported === false) return null;
    for (const { request_id, amount, type } of transactions.data)
      if (request_id !== null && wanted.has(request_id) && (type === 'usage' || type === 'byok_fee'))
        lines.push([request_id, negated(amount)]);
    const last = transactions.data.at(-1);
    const passed = last?.created != null && last.created < oldest;
    const { has_more, last_id } = transactions;
    if (passed || !has_more || last_id === null || last_id === after) return lines;
    after = last_id;
  }
  return null;
}

const negated = (usd: string): string => (usd.startsWith('-') ? usd.slice(1) : usd === '0' ? usd : `-${usd}`);
