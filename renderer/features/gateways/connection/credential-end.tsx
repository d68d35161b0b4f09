import type { GatewayAccount } from '#shared/contract/app/gateway-accounts.ts';
import { useNow } from '../../../browser/use-now.ts';
import { connectionText as words } from '../../../text/connection-text.ts';
import { formatMoment } from '../../../text/format.ts';

/** A credential that expires within this time is mentioned. */
export const soonMs = 24 * 3_600_000;

/** When a credential expires or has expired, and what to do. Shows nothing for one without an expiry. */
export function CredentialEnd({
  account: { kind, expiresAt },
}: {
  account: Pick<GatewayAccount, 'kind' | 'expiresAt'>;
}) {
  const now = useNow();
  if (expiresAt === null) return null;
  const name = words.credentials[kind];
  if (expiresAt <= now) return <span className="text-bad">{words.ended(name, formatMoment(expiresAt))}</span>;
  if (expiresAt - now < soonMs)
    return <span className="text-warn">{words.endsSoon(name, formatMoment(expiresAt))}</span>;
  return <span>{words.ends(formatMoment(expiresAt))}</span>;
}
