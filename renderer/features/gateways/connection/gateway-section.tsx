import { type ReactNode, useState } from 'react';
import type { GatewayConnection } from '#shared/contract/app/gateway.ts';
import { useBillingAccounts } from '../../../api/use-core.ts';
import { useGatewayAccounts } from '../../../api/use-gateway-accounts.ts';
import { useGateway, useGatewayCalls } from '../../../api/use-settings-calls.ts';
import { useLinks } from '../../../navigation/links.ts';
import { connectionText as accountWords } from '../../../text/connection-text.ts';
import { getRetryAt, getSentence } from '../../../text/error-text.ts';
import { text } from '../../../text/settings-text.ts';
import { Badge } from '../../../ui/elements/badge.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { SettingRow, SettingsHeading } from '../../../ui/forms/setting-row.tsx';
import { Switch } from '../../../ui/forms/switch.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { Remedy } from '../../../ui/notices/remedy.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { useCopy } from '../../../ui/notices/use-copy.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { ApiKeys } from '../keys/api-keys.tsx';
import { Snippets } from '../keys/snippets.tsx';
import { ConnectForm, isConnectFormLeft } from './connect-form.tsx';
import { GatewayList } from './gateway-list.tsx';

const words = text.gateway;
const tones = { ok: 'ok', answers: 'plain', busy: 'warn', unreachable: 'warn', refused: 'bad' } as const;

export function GatewaySection() {
  const gateway = useGateway();
  return (
    <>
      <Accounts />
      {gateway.isPending && <SkeletonRows rows={4} label={text.loading} />}
      {gateway.isError && !gateway.data && (
        <Failure title={words.failed} error={gateway.error} onRetry={() => void gateway.refetch()} />
      )}
      {gateway.data && (
        <>
          <div className="mt-4">
            <InUse connection={gateway.data} asOf={gateway.dataUpdatedAt} />
          </div>
          <LocalPort key={gateway.data.local.port} connection={gateway.data} />
        </>
      )}
    </>
  );
}

/** Shows the gateway in use. `asOf` is when its state was read, in epoch milliseconds. */
function InUse({ connection, asOf }: { connection: GatewayConnection; asOf: number }) {
  const { status } = connection;
  return (
    <>
      <SettingRow name={words.state} note={words.stateNotes[connection.mode]}>
        <Badge tone={tones[status.state]}>
          {words.states[status.state]}
          {status.latencyMs !== null && ` · ${words.latency(status.latencyMs)}`}
        </Badge>
      </SettingRow>
      {status.problem && (
        <Notice tone="warn">
          {getSentence(status.problem)}{' '}
          <Remedy failure={{ remedy: '', retryAt: getRetryAt(asOf, status.retryAfterMs) }} byItself />
        </Notice>
      )}
    </>
  );
}

/**
 * The list of gateways and the form that adds one. The form is open if there is no account yet, or if a link brought an
 * address.
 */
function Accounts() {
  const list = useGatewayAccounts();
  const offered = useLinks(({ gateway }) => gateway);
  const [adding, setAdding] = useState(() => offered !== null || isConnectFormLeft());
  const none = list.data?.accounts.length === 0;
  return (
    <Part title={accountWords.title}>
      <p className="mb-1 text-fg-2">{accountWords.note}</p>
      <GatewayList />
      {adding || none ? (
        <ConnectForm onDone={() => setAdding(false)} {...(none ? {} : { onCancel: () => setAdding(false) })} />
      ) : (
        list.data && (
          <Button className="mt-3" onClick={() => setAdding(true)}>
            {accountWords.add}
          </Button>
        )
      )}
    </Part>
  );
}

function LocalPort({ connection }: { connection: GatewayConnection }) {
  const { local } = connection;
  const { listen } = useGatewayCalls();
  const { failed } = useNotify();
  const [port, setPort] = useState(String(local.port));
  const number = Number(port);
  const valid = /^\d{1,5}$/.test(port) && number >= 1 && number <= 65_535;
  const change = (enabled: boolean, next: number) =>
    listen.mutate({ enabled, port: next }, { onError: (error) => failed(words.listen, error) });
  return (
    <Part title={words.localTitle}>
      <p className="mb-1 text-fg-2">{words.localNote}</p>
      <SettingRow name={words.listen}>
        <Switch
          label={words.listen}
          checked={local.enabled}
          disabled={listen.isPending}
          onChange={(enabled) => change(enabled, local.port)}
        />
      </SettingRow>
      <form
        className="flex items-start gap-2 border-line border-b py-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (valid) change(local.enabled, number);
        }}
      >
        <TextField
          label={words.port}
          className="w-40"
          inputMode="numeric"
          value={port}
          problem={valid ? undefined : words.badPort}
          onChange={(event) => setPort(event.target.value)}
        />
        <Button type="submit" className="mt-5" disabled={!valid || number === local.port || listen.isPending}>
          {words.setPort}
        </Button>
      </form>
      {local.problem && <Notice tone="bad">{getSentence(local.problem)}</Notice>}
      {local.url && <LocalUrl url={local.url} />}
      <LocalKeys url={local.url} />
    </Part>
  );
}

function LocalUrl({ url }: { url: string }) {
  const [copied, copy] = useCopy();
  return (
    <>
      <SettingRow name={words.url} note={<code className="font-mono select-all">{url}</code>}>
        <Button aria-label={`${words.copy}: ${words.url}`} onClick={() => void copy(url)}>
          {copied ? words.copied : words.copy}
        </Button>
      </SettingRow>
      <Snippets baseUrl={url} />
    </>
  );
}

/** Keys for the two accounts of the built-in gateway. Without a provider’s key, only test credits can be spent. */
function LocalKeys({ url }: { url: string | null }) {
  const known = useBillingAccounts().data?.filter(({ used }) => used) ?? [];
  const { billingAccounts } = words;
  const main = { id: 'main', name: billingAccounts.main, embedded: true };
  const sandbox = { id: 'sandbox', name: billingAccounts.sandbox, embedded: true };
  return (
    <section className="mt-6">
      <h4 className="mb-1 font-semibold">{words.keysTitle}</h4>
      <ApiKeys accounts={known.some(({ id }) => id === 'main') ? [main, sandbox] : [sandbox, main]} baseUrl={url} />
    </section>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-6">
      <SettingsHeading className="mb-2">{title}</SettingsHeading>
      {children}
    </section>
  );
}
