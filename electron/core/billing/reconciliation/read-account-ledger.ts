import { join } from 'node:path';
import type { Operator } from '#gateway/operations/operator/operator.ts';
import type { Payer } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import type { AccountLedger } from '../../worker/booked-requests.ts';
import type { remoteLedger } from './read-elsewhere.ts';

export interface AccountLedgerDeps {
  readonly dataFolder: string;
  /** Of the embedded gateway. */
  readonly operator: Pick<Operator, 'listKeys'>;
  readonly elsewhere: ReturnType<typeof remoteLedger>;
}

/** For one answer. */
const limitMs = 30_000;

/** The name of the app's key in its own gateway. */
const ownKeyLabel = 'Portico';

/** The books of a wallet: all of them where they lie here, of those elsewhere what was read by now. */
export async function readAccountLedger(
  { dataFolder, operator, elsewhere }: AccountLedgerDeps,
  payer: Payer,
  signal?: AbortSignal,
): Promise<AccountLedger> {
  const { source, client } = payer;
  const within = { signal: AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(limitMs)]) };
  // Asking the gateway also brings into its file all that it has answered until now.
  const account = await askGateway(() => client.account(within));
  if (!source.startsWith('embedded/')) return elsewhere(payer, account.credential?.id ?? null);
  const keys = await operator.listKeys(account.id ?? '');
  const own = keys.filter(
    ({ id, label, mintedBy, revokedAt }) =>
      id === account.credential?.id || (label === ownKeyLabel && mintedBy === null && revokedAt !== null),
  );
  return { file: join(dataFolder, 'gateway.db'), accountId: account.id ?? '', ownKeys: own.map(({ id }) => id) };
}
