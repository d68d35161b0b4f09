import { useState } from 'react';
import type { Provider } from '#shared/contract/providers.ts';
import { describeError } from '../../lib/error-text.ts';
import { since } from '../../lib/format.ts';
import { useAppInfo, useOpenLink, useProviders } from '../../lib/use-core.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProviderMark } from '../../ui/provider-mark.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useNotify } from '../../ui/use-notify.ts';
import { SectionTitle } from './setting-row.tsx';
import { text } from './text.ts';
import { useProviderCalls } from './use-settings-calls.ts';

const words = text.providers;

export function ProvidersSection() {
  const list = useProviders();
  const info = useAppInfo();
  const keychain = info.data?.keychain;
  return (
    <>
      <SectionTitle>{text.sections.providers}</SectionTitle>
      <p className="mb-3 text-fg-2">
        {words.intro} {keychain && words.keptIn(keychain.backend)}
      </p>
      {keychain?.message && <Notice tone="warn">{keychain.message}</Notice>}
      {list.isPending && <SkeletonRows rows={4} label={text.loading} />}
      {list.isError && !list.data && (
        <Failure title={words.failed} error={list.error} onRetry={() => void list.refetch()} />
      )}
      <ul>
        {list.data?.map((provider) => (
          <ProviderRow key={provider.id} provider={provider} />
        ))}
      </ul>
    </>
  );
}

const tones = { not_set: 'plain', unchecked: 'plain', works: 'ok', refused: 'bad', unreachable: 'warn' } as const;

function ProviderRow({ provider }: { provider: Provider }) {
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const { check, remove } = useProviderCalls();
  const { failed } = useNotify();
  const set = provider.state !== 'not_set';
  const named = (action: string) => words.actionsFor(action, provider.name);
  return (
    <li className="border-line border-b py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <ProviderMark provider={provider.id} size={24} />
        <div className="min-w-40 flex-1">
          <p className="flex items-center gap-2 font-medium">
            {provider.name} <Badge tone={tones[provider.state]}>{words.states[provider.state]}</Badge>
          </p>
          {set && <KeyLine provider={provider} />}
        </div>
        <div className="flex gap-1.5">
          {set && (
            <>
              <Button
                aria-label={named(words.check)}
                disabled={check.isPending}
                onClick={() => check.mutate(provider.id, { onError: (error) => failed(named(words.check), error) })}
              >
                {check.isPending ? words.checking : words.check}
              </Button>
              {provider.storage !== 'environment' && (
                <Button look="danger" aria-label={named(words.remove)} onClick={() => setRemoving(true)}>
                  {words.remove}
                </Button>
              )}
            </>
          )}
          <Button
            aria-label={named(set ? words.replace : words.add)}
            aria-expanded={editing}
            onClick={() => setEditing(!editing)}
          >
            {set ? words.replace : words.add}
          </Button>
        </div>
      </div>
      {provider.message && <p className="mt-1 pl-9 text-fg-2 text-sm wrap-anywhere">{provider.message}</p>}
      {editing && <KeyForm provider={provider} onDone={() => setEditing(false)} />}
      <Dialog open={removing} onOpenChange={setRemoving} title={words.removeTitle(provider.name)}>
        <p className="text-fg-2">{words.removeBody}</p>
        <div className="mt-4 flex justify-end gap-2">
          <Button onClick={() => setRemoving(false)}>{text.cancel}</Button>
          <Button
            look="danger"
            disabled={remove.isPending}
            onClick={() =>
              remove.mutate(provider.id, {
                onSuccess: () => setRemoving(false),
                onError: (error) => failed(named(words.remove), error),
              })
            }
          >
            {words.remove}
          </Button>
        </div>
      </Dialog>
    </li>
  );
}

function KeyLine({ provider }: { provider: Provider }) {
  const parts = [
    provider.storage && words.storage[provider.storage],
    provider.baseUrl,
    provider.checkedAt !== null && words.checked(since(provider.checkedAt, Date.now())),
  ].filter(Boolean);
  return (
    <p className="text-fg-3 text-xs wrap-anywhere">
      {provider.keyHint && <code className="font-mono">{provider.keyHint}</code>} {parts.join(' · ')}
    </p>
  );
}

/** Takes a key, hands it over and forgets it. */
function KeyForm({ provider, onDone }: { provider: Provider; onDone: () => void }) {
  const own = provider.id === 'openai-compatible';
  const [key, setKey] = useState('');
  const [baseUrl, setBaseUrl] = useState(provider.baseUrl ?? '');
  const { setKey: save } = useProviderCalls();
  const openLink = useOpenLink();
  const { failed } = useNotify();
  const failure = save.isError ? describeError(save.error) : null;
  const complete = own ? baseUrl.trim() !== '' : key.trim().length >= 8;
  return (
    <form
      className="mt-3 flex flex-col gap-3 rounded-menu border border-line bg-sunken p-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete)
          save.mutate(
            { id: provider.id, key: key.trim() || null, baseUrl: own ? baseUrl.trim() : null },
            { onSuccess: onDone },
          );
      }}
    >
      {own && (
        <TextField
          label={words.baseUrl}
          note={words.baseUrlNote}
          type="url"
          value={baseUrl}
          onChange={(event) => setBaseUrl(event.target.value)}
        />
      )}
      <TextField
        label={own ? words.optionalKey : words.key}
        type="password"
        autoComplete="off"
        autoFocus
        value={key}
        problem={failure ? `${failure.sentence} ${failure.remedy}` : undefined}
        onChange={(event) => setKey(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button look="primary" type="submit" disabled={!complete || save.isPending}>
          {save.isPending ? words.checking : words.save}
        </Button>
        <Button onClick={onDone}>{text.cancel}</Button>
        {provider.keyPage && (
          <Button
            look="quiet"
            onClick={() =>
              openLink.mutate(provider.keyPage ?? '', { onError: (error) => failed(words.keyPage, error) })
            }
          >
            {words.keyPage}
          </Button>
        )}
      </div>
    </form>
  );
}
