import { useState } from 'react';
import type { NetworkSettings, NetworkStatus } from '#shared/contract/app/network.ts';
import { useNetwork, useNetworkCalls } from '../../../api/use-settings-calls.ts';
import { describeError } from '../../../text/error-text.ts';
import { text } from '../../../text/settings-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { SectionTitle, SettingRow } from '../../../ui/forms/setting-row.tsx';
import { TextArea } from '../../../ui/forms/text-area.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { ConnectionTest } from './connection-test.tsx';
import { networkText as words } from './network-text.ts';

const ways = (['system', 'none', 'fixed'] as const).map((value) => ({ value, label: words.proxies[value] }));

/** The way to the outside: a proxy, certificates that are trusted, and a test. */
export function NetworkSection() {
  const network = useNetwork();
  return (
    <>
      <SectionTitle>{text.sections.network}</SectionTitle>
      {network.isPending && <SkeletonRows rows={4} label={text.loading} />}
      {network.isError && !network.data && (
        <Failure title={words.failed} error={network.error} onRetry={() => void network.refetch()} />
      )}
      {network.data && (
        <>
          <NetworkForm set={network.data} />
          <ConnectionTest targets={network.data.targets} />
        </>
      )}
    </>
  );
}

const getSettings = ({ proxy, address, username, bypass, certificates }: NetworkStatus): NetworkSettings => ({
  proxy,
  address,
  username,
  bypass,
  certificates,
});

function NetworkForm({ set }: { set: NetworkStatus }) {
  const [given, setGiven] = useState(getSettings(set));
  const [password, setPassword] = useState('');
  const { set: save } = useNetworkCalls();
  const change = (part: Partial<NetworkSettings>) => {
    save.reset();
    setGiven({ ...given, ...part });
  };
  const fixed = given.proxy === 'fixed';
  const problem = save.isError ? describeError(save.error).sentence : undefined;
  const aboutAddress = fixed && problem !== undefined && given.certificates === set.certificates;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const kept = password === '' ? {} : { password };
        save.mutate(
          { ...given, ...kept },
          {
            onSuccess(saved) {
              setPassword('');
              setGiven(getSettings(saved));
            },
          },
        );
      }}
    >
      <SettingRow name={words.proxy} note={words.proxyNote}>
        <Segmented label={words.proxy} value={given.proxy} options={ways} onChange={(proxy) => change({ proxy })} />
      </SettingRow>
      <div className="flex flex-col gap-3 py-3">
        {fixed && (
          <>
            <TextField
              label={words.address}
              note={words.addressNote}
              placeholder="http://proxy.example:3128"
              value={given.address}
              problem={aboutAddress ? problem : undefined}
              onChange={(event) => change({ address: event.target.value })}
            />
            <div className="flex gap-3 max-sm:flex-col">
              <TextField
                className="flex-1"
                label={words.username}
                value={given.username}
                onChange={(event) => change({ username: event.target.value })}
              />
              <TextField
                className="flex-1"
                label={words.password}
                type="password"
                note={set.hasPassword ? words.passwordKept : words.passwordNote}
                value={password}
                onChange={(event) => setPassword(event.target.value)}
              />
            </div>
            <TextField
              label={words.bypass}
              note={words.bypassNote}
              value={given.bypass}
              onChange={(event) => change({ bypass: event.target.value })}
            />
          </>
        )}
        <TextArea
          label={words.certificates}
          note={words.certificatesNote}
          placeholder="-----BEGIN CERTIFICATE-----"
          spellCheck={false}
          value={given.certificates}
          onChange={(event) => change({ certificates: event.target.value })}
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button variant="primary" type="submit" disabled={save.isPending || (fixed && given.address.trim() === '')}>
            {words.save}
          </Button>
          <p role="status" className="text-fg-3 text-xs">
            {save.isSuccess && words.saved}
          </p>
          {problem && !aboutAddress && (
            <p role="alert" className="text-bad text-sm">
              {problem}
            </p>
          )}
        </div>
      </div>
    </form>
  );
}
