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

/** A gateway elsewhere tells its requests by pages: so many of its newest are read. */
const mostPages = 10;
const pageSize = 100;
const limitMs = 30_000;

/** The name of the app's key in its own gateway. */
const ownKeyLabel = 'Portico';

/** The books of a wallet as far as they can be read: all of them where they lie here, the newest part of them elsewhere. */
export async function accountBooks({ dataFolder, operator }: AccountBooksDeps, payer: Payer): Promise<Books> {
  const { source, client } = payer;
  const signal = AbortSignal.timeout(limitMs);
  // Asking the gateway also brings into its file all that it has answered until now.
  const account = await askGateway(() => client.account({ signal }));
  if (!source.startsWith('embedded/')) return remoteBooks(client, account.credential?.id ?? null, signal);
  const keys = await operator.listKeys(account.id ?? '');
  const own = keys.filter(
    ({ id, label, mintedBy, revokedAt }) =>
      id === account.credential?.id || (label === ownKeyLabel && mintedBy === null && revokedAt !== null),
  );
  return { file: join(dataFolder, 'gateway.db'), accountId: account.id ?? '', ownKeys: own.map(({ id }) => id) };
}

async function remoteBooks(client: GatewayClient, ownKey: string | null, signal: AbortSignal): Promise<Books> {
  const records: RequestRecord[] = [];
  let after: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const query = { limit: pageSize, ...(after === undefined ? {} : { after }) };
    const told = await askGateway(() => client.requests(query, { signal }));
    records.push(...told.data);
    if (!told.has_more || told.last_id === null) break;
    after = told.last_id;
  }
  return { records, lines: await linesSince(client, records, signal), ownKeys: ownKey === null ? [] : [ownKey] };
}

/** The ledger's lines of these requests. Null: the gateway tells none, or not of all of them. */
async function linesSince(client: GatewayClient, records: readonly RequestRecord[], signal: AbortSignal) {
  const oldest = records.at(-1)?.created ?? 0;
  const lines: [string, string][] = [];
  let after: string | undefined;
  for (let page = 0; page < mostPages * 2; page++) {
    const query = { limit: pageSize, ...(after === undefined ? {} : { after }) };
    const { transactions } = await askGateway(() => client.credits(query, { signal }));
    if (transactions.reported === false) return null;
    for (const { request_id, amount, type } of transactions.data)
      if (request_id !== null && (type === 'usage' || type === 'byok_fee')) lines.push([request_id, negated(amount)]);
    const last = transactions.data.at(-1);
    const passed = last?.created != null && last.created < oldest;
    if (passed || !transactions.has_more || transactions.last_id === null) return lines;
    after = transactions.last_id;
  }
  return null;
}

const negated = (usd: string): string => (usd.startsWith('-') ? usd.slice(1) : usd === '0' ? usd : `-${usd}`);
