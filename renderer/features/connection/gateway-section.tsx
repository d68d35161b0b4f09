import { type ReactNode, useEffect, useState } from 'react';
import type { GatewayConnection } from '#shared/contract/app/gateway.ts';
import { useGateway, useGatewayCalls } from '../../api/use-settings-calls.ts';
import { useLinks } from '../../navigation/links.ts';
import { describeError, retryAtOf, sentenceOf } from '../../text/error-text.ts';
import { text } from '../../text/settings-text.ts';
import { Badge } from '../../ui/elements/badge.tsx';
import { Button } from '../../ui/elements/button.tsx';
import { ScrollGroup } from '../../ui/elements/scroll-group.tsx';
import { SectionTitle, SettingRow, SettingsHeading } from '../../ui/forms/setting-row.tsx';
import { Switch } from '../../ui/forms/switch.tsx';
import { TextField } from '../../ui/forms/text-field.tsx';
import { Failure } from '../../ui/notices/failure.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Remedy, useRemedy } from '../../ui/notices/remedy.tsx';
import { SkeletonRows } from '../../ui/notices/skeleton.tsx';
import { useCopy } from '../../ui/notices/use-copy.ts';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { LocalKeys } from './local-keys.tsx';

const words = text.gateway;
const tones = { ok: 'ok', busy: 'warn', unreachable: 'warn', refused: 'bad' } as const;

export function GatewaySection() {
  const gateway = useGateway();
  return (
    <>
      <SectionTitle>{text.sections.gateway}</SectionTitle>
      {gateway.isPending && <SkeletonRows rows={4} label={text.loading} />}
      {gateway.isError && !gateway.data && (
        <Failure title={words.failed} error={gateway.error} onRetry={() => void gateway.refetch()} />
      )}
      {gateway.data && (
        <>
          <InUse connection={gateway.data} asOf={gateway.dataUpdatedAt} />
          {gateway.data.mode === 'embedded' && <ConnectForm />}
          <LocalPort key={gateway.data.local.port} connection={gateway.data} />
        </>
      )}
    </>
  );
}

/** `asOf`: when the state was read (epoch milliseconds). */
function InUse({ connection, asOf }: { connection: GatewayConnection; asOf: number }) {
  const { disconnect } = useGatewayCalls();
  const { failed } = useNotify();
  const { status, remote } = connection;
  const where = connection.mode === 'remote' && remote ? words.remote(remote.baseUrl, remote.keyHint) : words.embedded;
  return (
    <>
      <SettingRow name={words.inUse} note={where}>
        <Badge tone={tones[status.state]}>
          {words.states[status.state]}
          {status.latencyMs !== null && ` · ${words.latency(status.latencyMs)}`}
        </Badge>
        {connection.mode === 'remote' && (
          <Button
            disabled={disconnect.isPending}
            onClick={() => disconnect.mutate(undefined, { onError: (error) => failed(words.disconnect, error) })}
          >
            {words.disconnect}
          </Button>
        )}
      </SettingRow>
      {status.problem && (
        <Notice tone="warn">
          {sentenceOf(status.problem)}{' '}
          <Remedy failure={{ remedy: '', retryAt: retryAtOf(asOf, status.retryAfterMs) }} byItself />
        </Notice>
      )}
    </>
  );
}

function ConnectForm() {
  const offered = useLinks(({ gateway }) => gateway);
  const [baseUrl, setBaseUrl] = useState(offered ?? '');
  useEffect(() => useLinks.setState({ gateway: null }), []);
  const [key, setKey] = useState('');
  const { connect } = useGatewayCalls();
  const failure = connect.isError ? describeError(connect.error) : null;
  const remedy = useRemedy(failure);
  const complete = /^https?:\/\/./.test(baseUrl.trim()) && key.trim().length >= 8;
  return (
    <Part title={words.connectTitle}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (complete) connect.mutate({ baseUrl: baseUrl.trim(), key: key.trim() }, { onSuccess: () => setKey('') });
        }}
      >
        <TextField
          label={words.baseUrl}
          type="url"
          placeholder="https://gateway.example.com"
          value={baseUrl}
          onChange={(event) => setBaseUrl(event.target.value)}
        />
        <TextField
          label={words.key}
          type="password"
          value={key}
          problem={failure ? `${failure.sentence} ${remedy}` : undefined}
          onChange={(event) => setKey(event.target.value)}
        />
        <div>
          <Button variant="primary" type="submit" disabled={!complete || connect.isPending}>
            {connect.isPending ? words.connecting : words.connect}
          </Button>
        </div>
      </form>
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
      {local.problem && <Notice tone="bad">{sentenceOf(local.problem)}</Notice>}
      {local.url && <LocalUrl url={local.url} />}
      <LocalKeys />
    </Part>
  );
}

function LocalUrl({ url }: { url: string }) {
  const [copied, copy] = useCopy();
  const [copiedExample, copyExample] = useCopy();
  const example = `curl ${url}/v1/chat/completions \\
  -H 'Content-Type: application/json' \\
  -H 'Authorization: Bearer YOUR_GATEWAY_KEY' \\
  -d '{"model":"router","messages":[{"role":"user","content":"Hello"}]}'`;
  return (
    <>
      <SettingRow name={words.url} note={<code className="font-mono select-all">{url}</code>}>
        <Button aria-label={`${words.copy}: ${words.url}`} onClick={() => void copy(url)}>
          {copied ? words.copied : words.copy}
        </Button>
      </SettingRow>
      <div className="mt-3 overflow-hidden rounded-menu border border-line bg-sunken">
        <div className="flex h-9 items-center border-line border-b pr-1.5 pl-3 font-medium text-fg-2 text-xs">
          <span className="flex-1">{words.example}</span>
          <Button
            variant="quiet"
            className="h-7 px-2 text-xs"
            aria-label={`${words.copy}: ${words.example}`}
            onClick={() => void copyExample(example)}
          >
            {copiedExample ? words.copied : words.copy}
          </Button>
        </div>
        <ScrollGroup label={words.example} className="overflow-x-auto p-3 font-mono text-xs">
          <pre>{example}</pre>
        </ScrollGroup>
      </div>
    </>
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
