import type {
  UsageGroupId,
  UsageGrouping,
  UsageInsights,
  UsagePeriod,
  UsageReport,
} from '#shared/contract/app/usage.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import type { Connections } from '../../gateways/connection/connections.ts';
import type { Naming } from '../../gateways/connection/model-facts.ts';
import { readUsageReport } from './read-usage-report.ts';
import { usagePieces } from './usage-export.ts';
import { readInsights } from './usage-insights.ts';
import { allLines, type LineDeps, readLines } from './usage-lines.ts';

const limitMs = 30_000;

interface UsageDeps extends Omit<LineDeps, 'connections'>, Naming {
  readonly connections: Connections;
  readonly now: () => number;
}

interface Asked {
  readonly billingAccount: BillingAccount;
  readonly period: UsagePeriod;
}

/** Usage of a period in whole days. The gateway adds up; what it does not know, of chats and folders, is put to it here. */
export function usageFeature(deps: UsageDeps) {
  const getPayer = (billingAccount: BillingAccount) => deps.connections.billingAccount(billingAccount);
  /** A question that nobody waits for any longer ends, and any other after a while. */
  const ends = (signal: AbortSignal | undefined) =>
    AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])]);

  return {
    async get(
      { billingAccount, period, groupBy }: Asked & { readonly groupBy: UsageGrouping },
      signal?: AbortSignal,
    ): Promise<UsageReport> {
      return readUsageReport(deps, await getPayer(billingAccount), groupBy, period, ends(signal));
    },

    async insights({ billingAccount, period }: Asked, signal?: AbortSignal): Promise<UsageInsights> {
      return readInsights(await getPayer(billingAccount), period, deps.now(), ends(signal));
    },

    async requests(
      {
        billingAccount,
        ...asked
      }: Asked & { groupBy: UsageGrouping; group: UsageGroupId | null; after?: string | null | undefined },
      signal?: AbortSignal,
    ) {
      return readLines(deps, await getPayer(billingAccount), asked, ends(signal));
    },

    async *export(
      { billingAccount, period, format }: Asked & { readonly format: 'csv' | 'json' },
      signal?: AbortSignal,
    ) {
      yield* usagePieces(
        allLines(deps, await getPayer(billingAccount), period, signal),
        period,
        format,
        deps.providerName,
      );
    },
  };
}
