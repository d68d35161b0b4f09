import type { ReportedVerification } from '#shared/client/reported.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { scope } from '#shared/wire/account.ts';
import { useGatewayAccounts } from '../../../api/use-gateway-accounts.ts';
import { text } from '../../../text/account-text.ts';
import { formatMoment } from '../../../text/format.ts';
import { keysText } from '../../../text/keys-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Facts } from '../../../ui/elements/facts.tsx';
import { NotRead } from '../../../ui/notices/not-read.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { Stale } from '../../../ui/notices/stale.tsx';
import { CredentialEnd } from '../../gateways/connection/credential-end.tsx';
import { AccountPart } from './account-part.tsx';
import { useVerification } from './use-account.ts';

/** Lists what the gateway reports about the credential in use, and when it was checked. */
export function Credential({ billingAccount }: { billingAccount: BillingAccount }) {
  const checked = useVerification(billingAccount);
  const { data, isError, error, isFetching, refetch } = checked;
  const again = () => void refetch();
  return (
    <AccountPart title={text.credential}>
      {!data && !isError && <SkeletonRows rows={3} label={text.loading} />}
      {!data && isError && (
        <NotRead title={text.credentialFailed} notReported={text.credentialNotReported} error={error} onRetry={again} />
      )}
      {data && (
        <>
          <Stale error={error} readAt={data.checkedAt} />
          <p className="mb-1 text-fg-2">{data.reported ? text.accepted : text.credentialNotReported}</p>
          <Ending />
          {data.reported?.credential && <Facts facts={getFacts(data.reported.credential)} />}
          <div className="mt-3 flex flex-wrap items-center gap-3">
            <Button disabled={isFetching} onClick={again}>
              {isFetching ? text.checking : text.checkNow}
            </Button>
            <span className="text-fg-3 text-xs">{text.checkedAt(formatMoment(data.checkedAt))}</span>
          </div>
        </>
      )}
    </AccountPart>
  );
}

/** When the credential of a remote account expires. */
function Ending() {
  const { accounts = [], active = null } = useGatewayAccounts().data ?? {};
  const account = accounts.find(({ id }) => id === active);
  if (!account || account.expiresAt === null) return null;
  return (
    <p className="mb-1">
      <CredentialEnd account={account} />
    </p>
  );
}

function getFacts(credential: NonNullable<ReportedVerification['credential']>) {
  const { type, label, prefix, scopes } = credential;
  const moment = (seconds: unknown) => (typeof seconds === 'number' ? formatMoment(seconds * 1000) : null);
  const [created, used, ends] = [credential.created, credential.last_used_at, credential.expires_at].map(moment);
  const known = (name: string, value: string | null | undefined) => (value == null ? [] : [[name, value] as const]);
  return [
    [text.type, text.types[type]] as const,
    ...known(text.label, label),
    ...known(text.prefix, prefix && `${prefix}…`),
    ...(scopes === null
      ? []
      : scope.options.map((name) => [keysText.scopes[name].name, getScopes(scopes, name)] as const)),
    ...known(text.made, created),
    ...known(text.lastUsed, used),
    ...known(text.ends, ends),
  ];
}

const getScopes = (scopes: readonly string[], name: (typeof scope.options)[number]): string =>
  scopes.includes(name) ? text.may(keysText.scopes[name].note) : text.mayNot(keysText.scopes[name].note);
