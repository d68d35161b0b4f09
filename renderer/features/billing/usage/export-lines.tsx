import type { UsagePeriod } from '#shared/contract/app/usage.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { text } from '../../../text/usage-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { useExportLines } from './use-usage.ts';

const formats = ['csv', 'json'] as const;

/** Saves each request of the period: a row is a line of the ledger. */
export function ExportLines({ billingAccount, period }: { billingAccount: BillingAccount; period: UsagePeriod }) {
  const exporting = useExportLines(billingAccount);
  return (
    <section aria-label={text.export} className="mt-6">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-fg-2">{text.export}</span>
        {formats.map((format) => (
          <Button key={format} disabled={exporting.isPending} onClick={() => exporting.mutate({ period, format })}>
            {text.exportAs[format]}
          </Button>
        ))}
        {exporting.isPending && (
          <>
            <span role="status" className="text-fg-3 text-xs tabular-nums">
              {text.exporting(exporting.done)}
            </span>
            <Button variant="quiet" onClick={exporting.stop}>
              {text.stop}
            </Button>
          </>
        )}
      </div>
      {exporting.isError && !exporting.isStopped && (
        <Failure
          title={text.exportFailed}
          error={exporting.error}
          onRetry={() => exporting.variables && exporting.mutate(exporting.variables)}
        />
      )}
    </section>
  );
}
