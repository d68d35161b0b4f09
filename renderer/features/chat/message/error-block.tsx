import { CircleAlert } from 'lucide-react';
import type { AppInfo } from '#shared/contract/app/app.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { withoutKeys } from '#shared/without-keys.ts';
import { getOffer } from '../../../actions/offers.ts';
import { useAppInfo } from '../../../api/use-core.ts';
import { useProviderName } from '../../../api/use-provider-name.ts';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { text } from '../../../text/chat-text.ts';
import { describeFailure } from '../../../text/error-text.ts';
import { failureText } from '../../../text/failure-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { buttonLink, Link } from '../../../ui/elements/link.tsx';
import { Remedy } from '../../../ui/notices/remedy.tsx';
import { useCopy } from '../../../ui/notices/use-copy.ts';
import { useActions } from '../state/message-actions.ts';
import type { ThreadItem } from '../state/thread-items.ts';
import { useAutoRetry } from './use-auto-retry.ts';

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

interface ErrorBlockProps {
  message: ThreadItem;
  /** An answer is running in this conversation, so no other may be requested. */
  busy: boolean;
  /** No message follows. */
  last: boolean;
}

/** Shown below the text that had arrived: what failed, the provider's own message, and what to do. */
export function ErrorBlock({ message, busy, last }: ErrorBlockProps) {
  const { regenerate } = useActions();
  const error = message.error ?? unknown;
  const failure = describeFailure(error, message.finishedAt);
  const app = useAppInfo().data ?? null;
  const [copied, copy] = useCopy();
  const retry = useAutoRetry(message, last && !busy, () => regenerate(message));
  const providerName = useProviderName();
  const providerMessage = message.error?.providerError?.message ?? null;
  const provider = message.error?.provider ? providerName(message.error.provider) : null;
  const model = message.modelName ?? message.model;
  return (
    <div role="alert" className="mt-2 flex gap-3 rounded-menu border border-line bg-sunken p-3 text-sm">
      <CircleAlert size={16} className="mt-0.5 shrink-0 text-bad" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">{failure.sentence}</p>
        {providerMessage !== null && !failure.sentence.includes(providerMessage) && (
          <div className="mt-1.5 text-fg-2">
            <p className="text-xs">{failureText.providerReports(provider ?? failureText.providerUnnamed)}</p>
            <blockquote className="mt-0.5 max-h-32 overflow-y-auto border-line border-l-2 pl-2.5 wrap-anywhere">
              {providerMessage}
            </blockquote>
          </div>
        )}
        <p className="mt-1 text-fg-2">
          {retry.seconds === null ? (
            <Remedy failure={failure} />
          ) : (
            <span role="timer" aria-live="off">
              {failureText.retryingIn(retry.seconds)}
            </span>
          )}
        </p>
        {model && <p className="mt-1 text-fg-3 text-xs">{failureText.failedOn(model, provider)}</p>}
        <div className="mt-2 flex flex-wrap gap-2">
          <Button disabled={busy} onClick={() => regenerate(message)}>
            {text.retry}
          </Button>
          <Button
            disabled={busy}
            onClick={() => {
              retry.stop();
              useThreadView.getState().setRetrying(message.id);
            }}
          >
            {failureText.otherModel}
          </Button>
          {retry.seconds !== null && (
            <Button variant="quiet" onClick={retry.stop}>
              {failureText.dontRetry}
            </Button>
          )}
          {keyCodes.has(failure.code) && <SettingsLink section="providers" label={text.checkKeys} />}
          {gatewayCodes.has(failure.code) && <SettingsLink section="gateway" label={text.checkGateway} />}
          {failure.code === 'price_limit_exceeded' && (
            <Button onClick={() => getOffer('chatOptions')?.run()}>{failureText.chatSettings}</Button>
          )}
          {failure.code === 'cap_exceeded' && <SettingsLink section="caps" label={text.changeCaps} />}
          <Button variant="quiet" onClick={() => void copy(errorDetails(message, failure, app))}>
            {copied ? text.copied : text.copyDetails}
          </Button>
        </div>
      </div>
    </div>
  );
}

function SettingsLink({ section, label }: { section: 'providers' | 'gateway' | 'caps'; label: string }) {
  return (
    <Link to={{ page: 'settings', section }} className={buttonLink}>
      {label}
    </Link>
  );
}

type Failed = Pick<Message, 'requestId' | 'model' | 'modelName' | 'finishedAt' | 'createdAt' | 'error'>;
type App = Pick<AppInfo, 'version' | 'platform' | 'host'>;

/** Returns the details of a failed answer for a bug report. Everything that looks like a key is removed. */
export function errorDetails(message: Failed, failure: { code: string; sentence: string }, app: App | null): string {
  const { requestId, model, modelName, finishedAt, createdAt, error } = message;
  const details = {
    code: failure.code,
    status: error?.status ?? null,
    message: failure.sentence,
    provider: error?.provider ?? null,
    providerError: error?.providerError ?? null,
    requestId,
    model,
    modelName,
    at: new Date(finishedAt ?? createdAt).toISOString(),
    app: app && { version: app.version, platform: app.platform, host: app.host },
  };
  return withoutKeys(JSON.stringify(details, null, 2));
}
