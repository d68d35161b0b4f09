import type { UsagePeriod, UsageReport } from '#shared/contract/app/usage.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { text } from '../../../text/usage-text.ts';
import { useUsage } from './use-usage.ts';

interface CostSourcesProps {
  billingAccount: BillingAccount;
  period: UsagePeriod;
  /** Shows the groups by where their cost comes from. */
  onOpen: () => void;
}

/** Under a sum: what of it is a list price, an estimate or unknown. Nothing where all was billed. */
export function CostSources({ billingAccount, period, onOpen }: CostSourcesProps) {
  const { data } = useUsage(billingAccount, 'provenance', period);
  const words = sourceWords(data);
  if (words === '') return null;
  return (
    <p className="text-fg-3 text-xs">
      <button
        type="button"
        title={text.costSources.open}
        className="underline decoration-line underline-offset-2 hover:text-fg"
        onClick={onOpen}
      >
        {words}
      </button>
    </p>
  );
}

function sourceWords(report: UsageReport | undefined): string {
  if (report?.groupBy !== 'provenance') return '';
  const requests = (id: string) => report.groups?.find((group) => group.id === id)?.requests ?? 0;
  const unknown = report.totals.unknown ?? 0;
  return [
    ...(requests('byok') > 0 ? [text.costSources.byok] : []),
    ...(requests('estimated') > 0 ? [text.costSources.estimated(requests('estimated'))] : []),
    ...(unknown > 0 ? [text.unknown(unknown)] : []),
  ].join(', ');
}
