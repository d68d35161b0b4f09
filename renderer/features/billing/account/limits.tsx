import type { BillingAccount } from '#shared/contract/common/fields.ts';
import type { UsedLimit } from '#shared/wire/usage.ts';
import { text } from '../../../text/account-text.ts';
import { count, formatMoment, getRatio, usd } from '../../../text/format.ts';
import { Meter } from '../../../ui/elements/meter.tsx';
import { AccountPart } from './account-part.tsx';
import { useQuotas } from './use-account.ts';

/** How much of each quota of the plan is used. Nothing where the gateway tells no quotas: the plan itself says its limits. */
export function Limits({ billingAccount }: { billingAccount: BillingAccount }) {
  const limits = useQuotas(billingAccount).data ?? [];
  if (limits.length === 0) return null;
  return (
    <AccountPart title={text.quotas}>
      {limits.map((limit) => (
        <Meter
          key={limit.name}
          label={text.limits[limit.name as keyof typeof text.limits] ?? limit.name}
          ratio={getRatio(limit.used, limit.limit)}
          value={getUsed(limit)}
        />
      ))}
    </AccountPart>
  );
}

function getUsed({ name, used, limit, resets_at: resets }: UsedLimit): string {
  const shown = (amount: string) => (name.endsWith('_usd') ? usd(amount) : count(Number(amount)));
  return text.ofLimit(shown(used), shown(limit), resets === null ? null : formatMoment(resets * 1000));
}
