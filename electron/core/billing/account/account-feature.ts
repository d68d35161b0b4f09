import { getOtherBalance } from '#shared/client/account-unit.ts';
import { unknownAccount } from '#shared/client/reading/read-account.ts';
import type { ReportedAccount } from '#shared/client/reported.ts';
import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { AppError } from '#shared/errors.ts';
import type { UsedLimit } from '#shared/wire/usage.ts';
import type { Connections, Payer } from '../../gateways/connection/connections.ts';
import { askGateway, ifReported } from '../../gateways/connection/gateway-errors.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import { countUnknown } from '../costs/cost.ts';

export interface AccountDeps extends CoreContext {
  readonly connections: Connections;
  readonly hasProvider: () => Promise<boolean>;
}

const limitMs = 10_000;
/** The longest period that a gateway like the app's own reports usage for. */
const usageDays = 400;

/** Reads the balances and quotas of the billing accounts. */
export function accountFeature({ connections, hasProvider, now }: AccountDeps) {
  async function getAccount(payer: Payer): Promise<ReportedAccount> {
    const account = await readAccount(payer);
    if (account.balance || account.otherBalance) return account;
    return { ...account, ...(await getBalance(payer, account)) };
  }

  async function readAccount({ client }: Payer): Promise<ReportedAccount> {
    try {
      return await askGateway(() => client.account({ signal: AbortSignal.timeout(limitMs) }));
    } catch (error) {
      const code = error instanceof AppError ? error.code : null;
      if (code === 'not_reported') return unknownAccount;
      if (code !== 'insufficient_scope') throw error;
      // Every key may verify itself and name its account. The balance needs a scope that this key lacks.
      const verified = await askGateway(() => client.verify({ signal: AbortSignal.timeout(limitMs) }));
      return { ...verified.account, credential: verified.credential, balance: null, usage: null };
    }
  }

  /** Reads the balance from the credits: some gateways report it only there. Null if it isn't reported to this key. */
  async function getBalance(
    { client }: Payer,
    { credential }: ReportedAccount,
  ): Promise<Pick<ReportedAccount, 'balance' | 'otherBalance'>> {
    if (credential?.scopes && !credential.scopes.includes('account')) return { balance: null };
    let otherBalance: ReportedAccount['otherBalance'] = null;
    const readCredits = () =>
      client.credits({ limit: 1 }, { signal: AbortSignal.timeout(limitMs) }).catch((error: unknown) => {
        otherBalance = getOtherBalance(error);
        throw error;
      });
    const credits = await ifReported(readCredits);
    if (!credits) return { balance: null, otherBalance };
    const { balance: amount, held, available, total_granted, total_used } = credits;
    return { balance: { currency: 'USD', amount, held, available, total_granted, total_used } };
  }

  return {
    async wallets(): Promise<BillingAccountBalance[]> {
      const payers = await connections.payers();
      return Promise.all(payers.map(getBillingAccount));
    },
    /** Works for every account, not only for those of the gateway in use. */
    getBillingAccount,
    async get({ billingAccount }: { billingAccount: BillingAccount }): Promise<ReportedAccount> {
      const payer = await connections.billingAccount(billingAccount);
      const account = await getAccount(payer);
      const { usage } = account;
      return { ...account, usage: usage && { ...usage, unknown_cost_requests: countUnknown(usage, payer.source) } };
    },
    async quotas({ billingAccount }: { billingAccount: BillingAccount }): Promise<UsedLimit[]> {
      const { client } = await connections.billingAccount(billingAccount);
      return (await ifReported(() => client.usage({}, { signal: AbortSignal.timeout(limitMs) })))?.limits ?? [];
    },
  };

  async function getBillingAccount(payer: Payer): Promise<BillingAccountBalance> {
    const account = await getAccount(payer);
    const unknown = account.plan?.billing === 'meter_only' ? await getUnknown(payer) : 0;
    return { ...toBillingAccount(payer, account, await isUsed(payer)), unknown };
  }

  /** Requests of unknown cost, as far back as usage is reported at once. */
  async function getUnknown({ client, source }: Payer): Promise<number> {
    const end = Math.ceil(now() / 1000) + 1;
    const period = { start: end - usageDays * 86_400, end };
    const usage = await ifReported(() => client.usage(period, { signal: AbortSignal.timeout(limitMs) }));
    return usage ? countUnknown(usage.totals, source) : 0;
  }

  async function isUsed({ id, client }: Payer): Promise<boolean> {
    if (id !== 'main' || (await hasProvider())) return true;
    const { transactions } = await askGateway(() => client.credits({ limit: 1 }));
    return transactions.data.length > 0;
  }

  function toBillingAccount(
    { billingAccount, source, name: called }: Payer,
    account: ReportedAccount,
    used: boolean,
  ): Omit<BillingAccountBalance, 'unknown'> {
    const { name: own, plan, balance, otherBalance = null } = account;
    const simulated = billingAccount === 'sandbox';
    const name = simulated ? 'Test credits' : (called ?? own ?? new URL(source).host);
    return { id: billingAccount, name, simulated, used, billing: plan?.billing ?? null, balance, otherBalance };
  }
}
