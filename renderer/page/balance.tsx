import { useBillingAccounts, useConversations, useOwnKey, usePayer } from '../api/use-core.ts';
import { useChosenModel } from '../features/drafts/use-chosen-model.ts';
import { useNav } from '../navigation/nav.ts';
import { formatClock } from '../text/format.ts';
import { text } from '../text/shell-text.ts';
import { billingAccountName } from '../ui/elements/billing-account-name.ts';
import { classNames } from '../ui/elements/class-names.ts';
import { Money } from '../ui/elements/money.tsx';
import { OtherAmount } from '../ui/elements/other-amount.tsx';

/** The billing account that pays for the next message and its exact balance, as in the ledger. */
export function Balance({ brief = false }: { brief?: boolean }) {
  const billingAccounts = useBillingAccounts();
  const model = useModelHere();
  const billingAccount = usePayer(model);
  const ownKey = useOwnKey(model);
  // A prepaid account shows its balance, a metered one its spend.
  const metered = billingAccount?.billing === 'meter_only';
  const balance = billingAccount?.balance;
  // While the gateway doesn't answer, the last reported balance stays, with its time.
  const readAt = billingAccounts.isError && billingAccount ? billingAccounts.dataUpdatedAt : null;
  const otherBalance = balance ? null : billingAccount?.otherBalance;
  return (
    <output
      aria-label={text.balance}
      aria-busy={billingAccounts.isPending}
      title={metered && ownKey === null ? text.spentNote : undefined}
      className={
        brief
          ? 'flex min-w-0 flex-col text-right text-xs tabular-nums whitespace-nowrap'
          : 'flex min-w-0 flex-col text-xs tabular-nums'
      }
    >
      {billingAccount && (
        <span className={brief ? 'truncate text-fg-3 max-sm:text-2xs' : 'truncate font-medium text-sm'}>
          {ownKey === null ? billingAccountName(billingAccount) : text.ownKeyLabel(ownKey)}
        </span>
      )}
      <span
        className={classNames(
          (brief || (metered && readAt === null)) && 'truncate',
          readAt !== null ? 'text-fg-3' : brief ? 'font-medium' : 'text-fg-2',
        )}
      >
        {ownKey !== null && text.billedBy(ownKey)}
        {ownKey === null && balance && <Money amount={metered ? balance.total_used : balance.amount} rest={!metered} />}
        {ownKey === null && balance && metered && ` ${text.spent(billingAccount.unknown)}`}
        {ownKey === null && balance?.of === 'key' && ` ${text.leftOnKey}`}
        {ownKey === null && otherBalance && <OtherAmount amount={otherBalance} />}
        {ownKey === null && billingAccount && !balance && !otherBalance && text.noBalance}
        {ownKey === null &&
          readAt !== null &&
          (balance || otherBalance) &&
          ` ${text.balanceReadAt(formatClock(readAt))}`}
        {!billingAccount && (billingAccounts.isError ? text.noBalance : <span className="text-fg-3">…</span>)}
      </span>
    </output>
  );
}

/** The model of the current chat. */
function useModelHere(): string {
  const loc = useNav((nav) => nav.loc);
  const conversationId = loc.page === 'chat' ? loc.conversationId : null;
  const before = useConversations().data?.conversations.find((entry) => entry.id === conversationId)?.model;
  return useChosenModel({ conversationId, lastModel: before ?? null });
}
