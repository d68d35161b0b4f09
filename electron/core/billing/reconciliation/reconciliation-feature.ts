import { join } from 'node:path';
import type { Operator } from '#gateway/operations/operator/operator.ts';
import type { Drift, Reconciliation } from '#shared/contract/app/reconciliation.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { type Connections, isOwnKeys, type Payer } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import { type DescribeModel, ledgerModelName } from '../../gateways/connection/model-facts.ts';
import type { Background } from '../../worker/background.ts';
import type { AccountLedger } from '../../worker/booked-requests.ts';
import type { SpendStore } from '../costs/spend-store.ts';
import { type LookUpDeps, lookUpRequest } from './look-up-request.ts';
import { markStore } from './mark-store.ts';
import { remoteLedger } from './read-remote-ledger.ts';

interface AccountLedgerDeps {
  readonly dataFolder: string;
  /** The operator of the embedded gateway. */
  readonly operator: Pick<Operator, 'listKeys'>;
  readonly readRemoteLedger: ReturnType<typeof remoteLedger>;
}

/** Time limit for one answer. */
const limitMs = 30_000;

/** The label of the app's key in its own gateway. */
const ownKeyLabel = 'Portico';

/** Returns the ledger of an account: the file of the embedded gateway, or what was read so far from a remote one. */
async function readAccountLedger(
  { dataFolder, operator, readRemoteLedger }: AccountLedgerDeps,
  payer: Payer,
  signal?: AbortSignal,
): Promise<AccountLedger> {
  const { source, client } = payer;
  const within = { signal: AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(limitMs)]) };
  // The gateway flushes its write-ahead log into the file before it answers.
  const account = await askGateway(() => client.account(within));
  if (!source.startsWith('embedded/')) return readRemoteLedger(payer, account.credential?.id ?? null);
  const keys = await operator.listKeys(account.id ?? '');
  const own = keys.filter(
    ({ id, label, mintedBy, revokedAt }) =>
      id === account.credential?.id || (label === ownKeyLabel && mintedBy === null && revokedAt !== null),
  );
  return { file: join(dataFolder, 'gateway.db'), accountId: account.id ?? '', ownKeys: own.map(({ id }) => id) };
}

export interface ReconciliationDeps extends LookUpDeps, Pick<AccountLedgerDeps, 'operator'> {
  readonly connections: Connections;
  /** A separate worker thread, so that reconciliation doesn't delay searches. */
  readonly background: Pick<Background, 'run'>;
  readonly spend: SpendStore;
  readonly modelFacts: DescribeModel;
}

interface Page {
  readonly billingAccount: BillingAccount;
  readonly offset: number;
  readonly limit: number;
}

/** Reconciles chats, usage records, ledger and balance, matched by request. */
export function reconciliationFeature(given: ReconciliationDeps) {
  const deps = Object.assign({}, given, { readRemoteLedger: remoteLedger(given.background) });
  const { connections, background, spend, modelFacts, changes, now } = deps;
  const marks = markStore(deps.db);

  /** Adds what the app knows of each request: its chat, message and model name. */
  async function named<Row extends { requestId: string | null; provider: string | null; model: string | null }>(
    rows: readonly Row[],
  ) {
    const uses = await spend.getUses(rows.flatMap(({ requestId }) => requestId ?? []));
    return rows.map((row) => {
      const use = uses.get(row.requestId ?? '');
      return {
        ...row,
        name: row.model && ledgerModelName(modelFacts, row.provider, row.model),
        conversationId: use?.conversationId ?? null,
        title: use?.title ?? null,
        messageId: use?.messageId ?? null,
      };
    });
  }

  const driftIn = (
    accountLedger: AccountLedger,
    { offset, limit }: Omit<Page, 'billingAccount'>,
    signal?: AbortSignal,
  ) => background.run('drift', { accountLedger, offset, limit }, signal);

  return {
    async get({ billingAccount, offset, limit }: Page, signal?: AbortSignal): Promise<Reconciliation> {
      const payer = await connections.billingAccount(billingAccount);
      const accountLedger = await readAccountLedger(deps, payer, signal);
      const { source } = payer;
      const input = { accountLedger, source, isOwnKey: isOwnKeys(source), offset, limit };
      const { openRows, ...found } = await background.run('reconcile', input, signal);
      return {
        ...found,
        openRows: await named(openRows),
        readAt: now(),
        part: 'file' in accountLedger ? null : accountLedger.part,
      };
    },

    async drift({ billingAccount, ...page }: Page, signal?: AbortSignal): Promise<Drift> {
      const found = await driftIn(
        await readAccountLedger(deps, await connections.billingAccount(billingAccount), signal),
        page,
        signal,
      );
      const rows = await named(found.rows);
      return { ...found, rows: rows.map((row) => ({ ...row, spendId: null })) };
    },

    /** Checks only ledgers on this machine. Remote ledgers are checked when their page is opened. */
    async alarm(_input: unknown, signal?: AbortSignal): Promise<{ drifting: number }> {
      if (connections.mode === 'remote') return { drifting: 0 };
      let drifting = 0;
      for (const payer of await connections.payers()) {
        const accountLedger = await readAccountLedger(deps, payer, signal);
        drifting += (await driftIn(accountLedger, { offset: 0, limit: 0 }, signal)).count;
      }
      return { drifting };
    },

    async lookUp(request: { billingAccount: BillingAccount; requestId: string | null; spendId: string | null }) {
      const found = await lookUpRequest(deps, await connections.billingAccount(request.billingAccount), request);
      changes.emit('account');
      return { found };
    },

    async mark({ requestId, explained }: { requestId: string; explained: boolean }): Promise<void> {
      if (explained) await marks.add(requestId, now());
      else await marks.remove(requestId);
      changes.emit('account');
    },
  };
}
