import { useState } from 'react';
import type { Provider } from '#shared/contract/app/providers.ts';
import { useAppInfo, useProviders } from '../../../api/use-core.ts';
import { text } from '../../../text/settings-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { SectionTitle, SettingsHeading } from '../../../ui/forms/setting-row.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { KeychainNotice } from '../../../ui/notices/keychain-notice.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { FindServers } from './find-servers.tsx';
import { OwnKeysNotice } from './own-keys-notice.tsx';
import { ProviderRow } from './provider-row.tsx';
import { isServerFormLeft, ServerForm } from './server-form.tsx';

const words = text.providers;

export function ProvidersSection() {
  const list = useProviders();
  const info = useAppInfo();
  const keychain = info.data?.keychain;
  const [adding, setAdding] = useState(() => isServerFormLeft());
  const [added, setAdded] = useState<string | null>(null);
  const own = list.data?.filter((provider) => provider.ownServer || provider.server) ?? [];
  return (
    <>
      <SectionTitle>{text.sections.providers}</SectionTitle>
      <p className="mb-3 text-fg-2">
        {words.intro} {keychain && words.keptIn(keychain.backend ?? text.privacy.thisSession)}
      </p>
      {keychain && <KeychainNotice keychain={keychain} />}
      {list.data?.some(({ state }) => state !== 'not_set') && <OwnKeysNotice />}
      {list.isPending && <SkeletonRows rows={4} label={text.loading} />}
      {list.isError && !list.data && (
        <Failure title={words.failed} error={list.error} onRetry={() => void list.refetch()} />
      )}
      <ProviderRows providers={list.data?.filter((provider) => !provider.ownServer && !provider.server) ?? []} />
      {own.length > 0 && (
        <>
          <SettingsHeading className="pt-6 pb-1">{words.ownServers}</SettingsHeading>
          <p className="mb-2 text-fg-2">{words.ownServersNote}</p>
          <FindServers />
          {adding ? (
            <ServerForm
              onCancel={() => setAdding(false)}
              onSaved={({ id }) => {
                setAdding(false);
                setAdded(id);
              }}
            />
          ) : (
            <Button className="mb-2" onClick={() => setAdding(true)}>
              {words.addServer}
            </Button>
          )}
          <ProviderRows providers={own} added={added} />
        </>
      )}
    </>
  );
}

function ProviderRows({ providers, added = null }: { providers: readonly Provider[]; added?: string | null }) {
  return (
    <ul>
      {providers.map((provider) => (
        <ProviderRow key={provider.id} provider={provider} isNew={provider.id === added} />
      ))}
    </ul>
  );
}
