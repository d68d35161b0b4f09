import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import { usePayer, useSettings } from '../../../api/use-core.ts';
import { useGatewayAccounts } from '../../../api/use-gateway-accounts.ts';
import { useOutlook } from '../../../api/use-outlook.ts';
import { useQuote } from '../../../api/use-quote.ts';
import { text } from '../../../text/credits-text.ts';
import { roundUsd } from '../../../text/format.ts';
import { Notice } from '../../../ui/notices/notice.tsx';

/** How long the balance lasts, and how that is known; what to do where it is low. */
export function OutlookLine({ billingAccount }: { billingAccount: BillingAccountBalance }) {
  const outlook = useOutlook(billingAccount.id).data;
  const tooDear = useTooDearModel(billingAccount);
  if (!outlook || billingAccount.billing === 'meter_only') return null;
  const { messagesLeft, daysLeft, basis, low } = outlook;
  return (
    <>
      <p className="mt-1 text-fg-2">
        {tooDear !== null ? (
          text.noneCanBeSentTo(tooDear)
        ) : messagesLeft === null || basis === null ? (
          text.outlookUnknown
        ) : (
          <>
            <span className="text-fg">{text.lasts(messagesLeft, daysLeft)}</span>{' '}
            <span className="text-fg-3 text-xs">
              {text.lastsBy(basis.requests, basis.days, roundUsd(basis.costUsd))}
            </span>
          </>
        )}
      </p>
      {low && (
        <div className="mt-3">
          <Notice tone="warn">
            {text.low} <TopUp billingAccount={billingAccount} />
          </Notice>
        </div>
      )}
    </>
  );
}

/**
 * The model of a new chat, where what is left covers none of its messages: a gateway sets aside the longest answer that may come, whatever
 * answers cost on average. Null: it covers one, or another wallet pays.
 */
function useTooDearModel({ id, billing }: BillingAccountBalance): string | null {
  const model = useSettings().data?.model ?? 'router';
  const isPayer = usePayer(model)?.id === id && billing !== 'meter_only';
  const empty = { conversationId: null, folderId: null, text: '', attachments: [], model };
  const quote = useQuote(empty, isPayer, false).data;
  return isPayer && quote?.obstacles[0]?.code === 'insufficient_credits' ? quote.modelName : null;
}

/** What brings more credits: the interface of gateways names no page for that, so who runs it does. */
export function TopUp({ billingAccount }: { billingAccount: BillingAccountBalance }) {
  const { accounts = [], active = null } = useGatewayAccounts().data ?? {};
  const account = accounts.find(({ id }) => id === active);
  if (billingAccount.simulated) return <>{text.topUpTest}</>;
  return <>{account ? text.topUpAt(new URL(account.baseUrl).host) : text.topUpOwn}</>;
}
