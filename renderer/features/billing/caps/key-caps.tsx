import { useGatewayAccounts } from '../../../api/use-gateway-accounts.ts';
import { describeError } from '../../../text/error-text.ts';
import { getRatio, share, usd } from '../../../text/format.ts';
import { text } from '../../../text/settings-text.ts';
import { Meter } from '../../../ui/elements/meter.tsx';
import { SettingsHeading } from '../../../ui/forms/setting-row.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { Stale } from '../../../ui/notices/stale.tsx';
import { useApiKeys } from '../../gateways/keys/use-api-keys.ts';

/** How full the limits of keys for other programs are, of the account that pays. Nothing where no key has one. */
export function KeyCaps() {
  const gateways = useGatewayAccounts().data;
  return gateways ? <Keys key={gateways.active} account={gateways.active ?? 'main'} /> : null;
}

function Keys({ account }: { account: string }) {
  const { keys, error, readAt, refetch } = useApiKeys([account]);
  const limited = (keys ?? []).flatMap((key) => (key.limitUsd === null ? [] : [{ ...key, limitUsd: key.limitUsd }]));
  if (error && !keys) {
    // A gateway without keys, or a credential that may not read them, has nothing to say here.
    const { code } = describeError(error);
    if (code === 'not_reported' || code === 'insufficient_scope') return null;
    return <Failure title={text.caps.keysFailed} error={error} onRetry={refetch} />;
  }
  if (limited.length === 0) return null;
  return (
    <section aria-label={text.caps.ofKeys}>
      <SettingsHeading className="mt-6">{text.caps.ofKeys}</SettingsHeading>
      <Stale error={error} readAt={readAt} />
      {limited.map(({ id, name, spentUsd, limitUsd }) => {
        const part = getRatio(spentUsd, limitUsd);
        return (
          <Meter
            key={id}
            label={text.caps.keyOf(name ?? text.caps.unnamedKey)}
            ratio={part}
            value={text.caps.meter(usd(spentUsd), usd(limitUsd), share(part))}
          />
        );
      })}
    </section>
  );
}
