import { CircleAlert } from 'lucide-react';
import { useGatewayAccounts } from '../../../api/use-gateway-accounts.ts';
import { useNow } from '../../../browser/use-now.ts';
import { connectionText as words } from '../../../text/connection-text.ts';
import { formatMoment } from '../../../text/format.ts';
import { Link } from '../../../ui/elements/link.tsx';
import { soonMs } from './credential-end.tsx';

/** A notice above every page when the credential of the account in use expires soon or has expired. */
export function CredentialNotice() {
  const { accounts = [], active = null } = useGatewayAccounts().data ?? {};
  const now = useNow();
  const account = accounts.find(({ id }) => id === active);
  if (!account || account.expiresAt === null || account.expiresAt - now >= soonMs) return null;
  const ended = account.expiresAt <= now;
  const getSentence = ended ? words.noticeEnded : words.noticeSoon;
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-start gap-2 border-line border-b bg-sunken px-5 py-2 text-fg text-sm wrap-anywhere max-sm:px-3"
    >
      <CircleAlert size={16} className={`mt-0.5 shrink-0 ${ended ? 'text-bad' : 'text-warn'}`} aria-hidden />
      <span className="min-w-0">
        {getSentence(words.credentials[account.kind], account.name, formatMoment(account.expiresAt))}
      </span>
      <Link to={{ page: 'settings', section: 'gateway' }} className="font-medium text-accent hover:underline">
        {words.noticeLink}
      </Link>
    </div>
  );
}
