import type { ReactNode } from 'react';
import type { WalletBalance } from '#shared/contract/app/wallets.ts';
import type { Account } from '#shared/wire/account.ts';
import { WalletPage } from '../../page/wallet-page.tsx';
import { text } from '../../text/account-text.ts';
import { count, dayOf, usd } from '../../text/format.ts';
import { Facts } from '../../ui/elements/facts.tsx';
import { Money } from '../../ui/elements/money.tsx';
import { Failure } from '../../ui/notices/failure.tsx';
import { SkeletonRows } from '../../ui/notices/skeleton.tsx';
import { Stale } from '../../ui/notices/stale.tsx';
import { useAccount } from './use-account.ts';

export function AccountPage() {
  return (
    <WalletPage
      title={text.title}
      walletLabel={text.wallet}
      failed={text.failed}
      loading={<SkeletonRows rows={6} label={text.loading} />}
    >
      {(wallet) => <Details key={wallet.id} wallet={wallet} />}
    </WalletPage>
  );
}

function Details({ wallet }: { wallet: WalletBalance }) {
  const account = useAccount(wallet.id);
  if (account.isError && !account.data)
    return <Failure title={text.failed} error={account.error} onRetry={() => void account.refetch()} />;
  if (!account.data) return <SkeletonRows rows={6} label={text.loading} />;
  const { data } = account;
  return (
    <>
      <Stale error={account.error} readAt={account.dataUpdatedAt} />
      <Section title={text.identity}>
        <Facts
          facts={[
            [text.name, data.name],
            ...(data.email === null ? [] : ([[text.email, data.email]] as const)),
            [
              text.id,
              <code key="id" className="font-mono text-xs">
                {data.id}
              </code>,
            ],
            [text.since, dayOf(data.created * 1000)],
            [text.status, text.statuses[data.status]],
          ]}
        />
      </Section>
      <Section title={text.plan}>
        <Facts facts={planFacts(data)} />
      </Section>
      {data.usage && (
        <Section title={text.month}>
          <Facts
            facts={[
              [text.requests, count(data.usage.requests)],
              [text.tokens, count(data.usage.total_tokens)],
              [text.spent, <Money key="spent" amount={data.usage.cost_usd} />],
            ]}
          />
        </Section>
      )}
      <Section title={text.credential}>
        <Facts
          facts={[
            [text.type, text.types[data.credential.type]],
            [text.label, data.credential.label ?? text.none],
            [text.prefix, data.credential.prefix ? `${data.credential.prefix}…` : text.none],
            [text.scopes, data.credential.scopes.join(', ') || text.none],
          ]}
        />
      </Section>
    </>
  );
}

function planFacts({ plan }: Account): [string, ReactNode][] {
  const { limits } = plan;
  const limit = (value: number | null) => (value === null ? text.unlimited : count(value));
  return [
    [text.planName, plan.name],
    [text.billing, text.billings[plan.billing]],
    ...(plan.renews_at === null ? [] : ([[text.renews, dayOf(plan.renews_at * 1000)]] as [string, ReactNode][])),
    [text.limits.requests_per_minute, limit(limits.requests_per_minute)],
    [text.limits.tokens_per_minute, limit(limits.tokens_per_minute)],
    [text.limits.concurrent_requests, limit(limits.concurrent_requests)],
    [text.limits.requests_per_day, limit(limits.requests_per_day)],
    [text.limits.monthly_spend_usd, limits.monthly_spend_usd === null ? text.unlimited : usd(limits.monthly_spend_usd)],
    [text.limits.max_output_tokens, limit(limits.max_output_tokens)],
    [text.models, limits.models.includes('*') ? text.allModels : text.modelList(limits.models)],
  ];
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-4 mb-8">
      <h2 className="mb-1 font-semibold text-md">{title}</h2>
      {children}
    </section>
  );
}
