import type { ReactNode } from 'react';
import type { ReportedAccount } from '#shared/client/reported.ts';
import type { BillingAccountBalance } from '#shared/contract/app/billing-accounts.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import type { UsedLimit } from '#shared/wire/usage.ts';
import { useGatewayAccounts } from '../../../api/use-gateway-accounts.ts';
import { useGateway } from '../../../api/use-settings-calls.ts';
import { BillingAccountPage } from '../../../page/billing-account-page.tsx';
import { text } from '../../../text/account-text.ts';
import { count, formatMoment, getDay, getRatio, usd } from '../../../text/format.ts';
import { keysText as words } from '../../../text/keys-text.ts';
import { billingAccountName } from '../../../ui/elements/billing-account-name.ts';
import { Facts } from '../../../ui/elements/facts.tsx';
import { Meter } from '../../../ui/elements/meter.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { Stale } from '../../../ui/notices/stale.tsx';
import { ApiKeys } from '../../gateways/keys/api-keys.tsx';
import { Snippets } from '../../gateways/keys/snippets.tsx';
import { KnownCost } from '../usage/known-cost.tsx';
import { AccountPart } from './account-part.tsx';
import { Credential } from './credential.tsx';
import { useAccount, useQuotas } from './use-account.ts';

export function AccountPage() {
  return (
    <BillingAccountPage
      title={text.title}
      billingAccountLabel={text.billingAccount}
      failed={text.failed}
      loading={<SkeletonRows rows={6} label={text.loading} />}
    >
      {(billingAccount) => <Details key={billingAccount.id} billingAccount={billingAccount} />}
    </BillingAccountPage>
  );
}

function Details({ billingAccount }: { billingAccount: BillingAccountBalance }) {
  const account = useAccount(billingAccount.id);
  if (account.isError && !account.data)
    return <Failure title={text.failed} error={account.error} onRetry={() => void account.refetch()} />;
  if (!account.data) return <SkeletonRows rows={6} label={text.loading} />;
  const { data } = account;
  return (
    <>
      <Stale error={account.error} readAt={account.dataUpdatedAt} />
      <NotReported account={data} />
      <Part title={text.identity} facts={identityFacts(data)} />
      <Part title={text.plan} facts={planFacts(data)} />
      {data.usage && (
        <Part
          title={data.usage.period === null ? text.usage : text.month}
          facts={[
            ...getFact(text.requests, data.usage.requests, count),
            ...getFact(text.tokens, data.usage.total_tokens, count),
            [
              text.spent,
              <KnownCost key="spent" cost={data.usage.cost_usd} unknown={data.usage.unknown_cost_requests ?? null} />,
            ],
          ]}
        />
      )}
      <Limits billingAccount={billingAccount.id} />
      <Credential billingAccount={billingAccount.id} />
      <AccountKeys billingAccount={billingAccount} />
    </>
  );
}

type Fact = readonly [string, ReactNode];

/** Returns a row for a fact, or none if the gateway doesn't report it. */
const getFact = <Value,>(name: string, value: Value | null, shown: (value: Value) => ReactNode): Fact[] =>
  value === null ? [] : [[name, shown(value)]];

/** Names everything that the gateway doesn't report in one sentence, in place of empty rows. */
function NotReported({ account }: { account: ReportedAccount }) {
  const { notReported } = text;
  const missing = [
    ...(account.id === null && account.name === null ? [notReported.account] : []),
    ...(account.plan === null ? [notReported.plan] : account.plan.limits === null ? [notReported.limits] : []),
  ];
  return missing.length > 0 && <p className="mt-2 text-fg-2">{notReported.sentence(missing)}</p>;
}

function identityFacts(data: ReportedAccount): Fact[] {
  return [
    ...getFact(text.name, data.name, String),
    ...getFact(text.email, data.email, String),
    ...getFact(text.id, data.id, (id) => <code className="font-mono text-xs wrap-anywhere">{id}</code>),
    ...getFact(text.since, data.created, (created) => getDay(created * 1000)),
    ...getFact(text.status, data.status, (status) => text.statuses[status]),
  ];
}

function planFacts({ plan }: ReportedAccount): Fact[] {
  if (plan === null) return [];
  const { limits } = plan;
  return [
    [text.planName, plan.name],
    ...getFact(text.billing, plan.billing, (billing) => text.billings[billing]),
    ...getFact(text.renews, plan.renews_at, (renews) => getDay(renews * 1000)),
    ...(limits === null ? [] : limitFacts(limits)),
  ];
}

function limitFacts(limits: NonNullable<NonNullable<ReportedAccount['plan']>['limits']>): Fact[] {
  const limit = (value: number | null) => (value === null ? text.unlimited : count(value));
  const { monthly_spend_usd: spend, models } = limits;
  return [
    [text.limits.requests_per_minute, limit(limits.requests_per_minute)],
    [text.limits.tokens_per_minute, limit(limits.tokens_per_minute)],
    [text.limits.concurrent_requests, limit(limits.concurrent_requests)],
    [text.limits.requests_per_day, limit(limits.requests_per_day)],
    [text.limits.monthly_spend_usd, spend === null ? text.unlimited : usd(spend)],
    [text.limits.max_output_tokens, limit(limits.max_output_tokens)],
    [text.models, models.includes('*') ? text.allModels : text.modelList(models)],
  ];
}

/** A section, or nothing if it has no facts. */
const Part = ({ title, facts }: { title: string; facts: readonly Fact[] }) =>
  facts.length > 0 && (
    <AccountPart title={title}>
      <Facts facts={facts} />
    </AccountPart>
  );

/**
 * Shows how much of each quota of the plan is used. Shows nothing if the gateway reports no quotas, because the plan
 * already lists its limits.
 */
function Limits({ billingAccount }: { billingAccount: BillingAccount }) {
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

/** The account's keys for other programs, and instructions for using them. */
function AccountKeys({ billingAccount }: { billingAccount: BillingAccountBalance }) {
  const gateways = useGatewayAccounts().data;
  const gateway = useGateway().data;
  if (!gateways)
    return (
      <AccountPart title={words.title}>
        <SkeletonRows rows={2} label={words.loading} />
      </AccountPart>
    );
  const elsewhere = gateways.accounts.find(({ id }) => id === gateways.active);
  const account = {
    id: elsewhere?.id ?? billingAccount.id,
    name: billingAccountName(billingAccount),
    embedded: elsewhere === undefined,
  };
  const baseUrl = elsewhere?.baseUrl ?? gateway?.local.url ?? null;
  return (
    <>
      <AccountPart title={words.title}>
        <ApiKeys key={account.id} accounts={[account]} baseUrl={baseUrl} />
      </AccountPart>
      <AccountPart title={words.use}>
        {baseUrl !== null && <Snippets baseUrl={baseUrl} />}
        {baseUrl === null && gateway && <p className="text-fg-2">{words.closed}</p>}
      </AccountPart>
    </>
  );
}
