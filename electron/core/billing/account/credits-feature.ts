import type { ReportedTransaction } from '#shared/client/reported.ts';
import type { Ledger } from '#shared/contract/app/billing-accounts.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import type { Connections } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import { type DescribeModel, ledgerModelName } from '../../gateways/connection/model-facts.ts';
import type { SpendStore } from '../costs/spend-store.ts';

const limitMs = 10_000;

export interface CreditsDeps {
  readonly connections: Connections;
  readonly modelFacts: DescribeModel;
  readonly spend: Pick<SpendStore, 'getUses'>;
}

interface LinesWanted {
  readonly billingAccount: BillingAccount;
  readonly limit: number;
  readonly after?: string | null | undefined;
  readonly type?: ReportedTransaction['type'] | undefined;
  readonly start?: number | null | undefined;
  readonly end?: number | null | undefined;
}

/** A line without a time can't be assigned to a period. */
function isWanted(line: ReportedTransaction, { type, start, end }: { type?: string; start?: number; end?: number }) {
  if (type !== undefined && line.type !== type) return false;
  if (start === undefined && end === undefined) return true;
  return line.created !== null && line.created >= (start ?? 0) && line.created < (end ?? Number.POSITIVE_INFINITY);
}

/**
 * Returns the ledger as the gateway reports it, without adding anything up. Each line gets the model name and the chat
 * that the app knows.
 */
export function creditsFeature({ connections, modelFacts, spend }: CreditsDeps) {
  return {
    async get(input: LinesWanted): Promise<Ledger> {
      const { client } = await connections.billingAccount(input.billingAccount);
      const page = {
        limit: input.limit,
        ...(input.after ? { after: input.after } : {}),
        ...(input.type ? { type: input.type } : {}),
        ...(input.start == null ? {} : { start: Math.floor(input.start / 1000) }),
        ...(input.end == null ? {} : { end: Math.ceil(input.end / 1000) }),
      };
      const credits = await askGateway(() => client.credits(page, { signal: AbortSignal.timeout(limitMs) }));
      // Another gateway may ignore the filter and return every line.
      const data = credits.transactions.data.filter((line) => isWanted(line, page));
      const uses = await spend.getUses(data.flatMap(({ request_id }) => request_id ?? []));
      const lines = data.map((line) => ({
        ...line,
        name: line.model && ledgerModelName(modelFacts, line.provider, line.model),
        use: (line.request_id && uses.get(line.request_id)) || null,
      }));
      return { ...credits, transactions: { ...credits.transactions, data: lines } };
    },
  };
}
