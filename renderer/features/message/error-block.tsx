import { CircleAlert } from 'lucide-react';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { text } from '../../text/chat-text.ts';
import { describeFailure } from '../../text/error-text.ts';
import { Button } from '../../ui/elements/button.tsx';
import { Link } from '../../ui/elements/link.tsx';
import { Remedy } from '../../ui/notices/remedy.tsx';
import { useCopy } from '../../ui/notices/use-copy.ts';
import { errorDetails } from './error-details.ts';

const unknown = { code: 'internal_error', message: '', retryAfterMs: null };
const keyCodes = new Set(['missing_credentials', 'upstream_auth_failed', 'byoapi_key_rejected', 'no_eligible_model']);
const gatewayCodes = new Set([
  'invalid_api_key',
  'api_key_expired',
  'gateway_unreachable',
  'invalid_token',
  'token_expired',
  'too_many_auth_failures',
]);

/** Below what had arrived: what failed, and what to do. */
export function ErrorBlock({ message, onRetry }: { message: Message; onRetry: () => void }) {
  const failure = describeFailure(message.error ?? unknown, message.finishedAt);
  const [copied, copy] = useCopy();
  const details = errorDetails(message, failure);
  return (
    <div role="alert" className="mt-2 flex gap-3 rounded-menu border border-line bg-sunken p-3 text-sm">
      <CircleAlert size={16} className="mt-0.5 shrink-0 text-bad" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">{failure.sentence}</p>
        <p className="text-fg-2">
          <Remedy failure={failure} />
        </p>
        <div className="mt-2 flex flex-wrap gap-2">
          <Button onClick={onRetry}>{text.retry}</Button>
          {keyCodes.has(failure.code) && <SettingsLink section="providers" label={text.checkKeys} />}
          {gatewayCodes.has(failure.code) && <SettingsLink section="gateway" label={text.checkGateway} />}
          <Button look="quiet" onClick={() => void copy(details)}>
            {copied ? text.copied : text.copyDetails}
          </Button>
        </div>
      </div>
    </div>
  );
}

function SettingsLink({ section, label }: { section: 'providers' | 'gateway'; label: string }) {
  return (
    <Link
      to={{ page: 'settings', section }}
      className="inline-flex h-control items-center rounded-control px-3 font-medium text-accent hover:bg-hover"
    >
      {label}
    </Link>
  );
}
