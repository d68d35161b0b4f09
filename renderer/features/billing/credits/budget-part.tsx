import { useState } from 'react';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { text } from '../../../text/credits-text.ts';
import { describeError } from '../../../text/error-text.ts';
import { formatMonth, usd } from '../../../text/format.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { Link } from '../../../ui/elements/link.tsx';
import { Meter } from '../../../ui/elements/meter.tsx';
import { Form } from '../../../ui/forms/form.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { Skeleton } from '../../../ui/notices/skeleton.tsx';
import { useBudget, useSetBudget } from './use-credits.ts';

const amount = /^\d{1,9}(\.\d{1,9})?$/;

/** The person's own budget for an account without a balance. It shows the spend and stops nothing. */
export function BudgetPart({ billingAccount }: { billingAccount: BillingAccount }) {
  const budget = useBudget(billingAccount);
  const [asking, setAsking] = useState(false);
  const { data } = budget;
  return (
    <section className="mt-6">
      <h2 className="mb-1 font-semibold text-md">{text.budget}</h2>
      {!data && budget.isError && (
        <Failure title={text.budgetFailed} error={budget.error} onRetry={() => void budget.refetch()} />
      )}
      {!data && !budget.isError && <Skeleton className="h-9 w-full" />}
      {data && (
        <>
          {data.limitUsd !== null && data.spentUsd !== null && data.share !== null && (
            <Meter
              label={formatMonth(data.start + 43_200_000)}
              ratio={data.share}
              value={text.ofBudget(usd(data.spentUsd), usd(data.limitUsd))}
            />
          )}
          {data.limitUsd !== null && data.spentUsd === null && <p className="text-fg-2">{text.budgetUnknown}</p>}
          <p className="text-fg-3 text-xs">
            {text.budgetNote}{' '}
            <Link
              to={{ page: 'settings', section: 'caps' }}
              className="text-fg-2 underline decoration-line underline-offset-2 hover:text-fg"
            >
              {text.budgetCaps}
            </Link>
          </p>
          <Button className="mt-2" onClick={() => setAsking(true)}>
            {data.limitUsd === null ? text.setBudget : text.changeBudget}
          </Button>
          <Dialog open={asking} onOpenChange={setAsking} title={text.budget}>
            <BudgetForm billingAccount={billingAccount} limitUsd={data.limitUsd} onDone={() => setAsking(false)} />
          </Dialog>
        </>
      )}
    </section>
  );
}

function BudgetForm({
  billingAccount,
  limitUsd,
  onDone,
}: {
  billingAccount: BillingAccount;
  limitUsd: string | null;
  onDone: () => void;
}) {
  const set = useSetBudget();
  const [limit, setLimit] = useState(limitUsd ?? '');
  const wrong = limit.trim() !== '' && !amount.test(limit.trim());
  const failure = set.isError ? describeError(set.error) : undefined;
  return (
    <Form
      saveLabel={text.save}
      cancelLabel={text.cancel}
      ready={!wrong}
      busy={set.isPending}
      failure={failure && `${failure.sentence} ${failure.remedy}`}
      onSave={() => set.mutate({ billingAccount, limitUsd: limit.trim() || null }, { onSuccess: onDone })}
      onCancel={onDone}
    >
      <TextField
        label={text.budgetLimit}
        note={text.budgetEmpty}
        inputMode="decimal"
        value={limit}
        autoFocus
        problem={wrong ? text.notAmount : undefined}
        onChange={(event) => setLimit(event.target.value)}
      />
    </Form>
  );
}
