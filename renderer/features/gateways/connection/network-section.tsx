import { ChevronDown, CircleCheck, CircleX } from 'lucide-react';
import { useState } from 'react';
import type { NetworkHop, NetworkSettings, NetworkStatus } from '#shared/contract/app/network.ts';
import { useNetwork, useNetworkCalls } from '../../../api/use-settings-calls.ts';
import { describeError, getSentence } from '../../../text/error-text.ts';
import { text } from '../../../text/settings-text.ts';
import { Menu, MenuItem } from '../../../ui/dialogs/menu.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { SettingRow, SettingsHeading } from '../../../ui/forms/setting-row.tsx';
import { TextArea } from '../../../ui/forms/text-area.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { networkText as words } from './network-text.ts';

const ways = (['system', 'none', 'fixed'] as const).map((value) => ({ value, label: words.proxies[value] }));

/** The network settings: proxy, trusted certificates, and a connection test. */
export function NetworkSection() {
  const network = useNetwork();
  return (
    <>
      {network.isPending && <SkeletonRows rows={4} label={text.loading} />}
      {network.isError && !network.data && (
        <Failure title={words.failed} error={network.error} onRetry={() => void network.refetch()} />
      )}
      {network.data && (
        <>
          {network.data.problem && <Notice tone="warn">{getSentence(network.data.problem)}</Notice>}
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
        const secret = password === '' ? {} : { password };
        save.mutate(
          { ...given, ...secret },
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

/** Tests the connection to an address that the app calls, and shows each step. */
function ConnectionTest({ targets }: Pick<NetworkStatus, 'targets'>) {
  const [chosen, setChosen] = useState(0);
  const { test } = useNetworkCalls();
  const target = targets[chosen] ?? targets[0];
  return (
    <section className="mt-4">
      <SettingsHeading className="mb-1">{words.testTitle}</SettingsHeading>
      <p className="text-fg-2">{target ? words.testNote : words.noTargets}</p>
      {target && (
        <SettingRow name={words.target}>
          <Menu
            trigger={
              <Button aria-label={`${words.target}: ${target.name}`}>
                {target.name}
                <ChevronDown size={14} aria-hidden />
              </Button>
            }
          >
            {targets.map(({ name, origin }, index) => (
              <MenuItem
                key={origin}
                onClick={() => {
                  test.reset();
                  setChosen(index);
                }}
              >
                {name}
              </MenuItem>
            ))}
          </Menu>
          <Button disabled={test.isPending} onClick={() => test.mutate(target.origin)}>
            {test.isPending ? words.testing : words.test}
          </Button>
        </SettingRow>
      )}
      {test.isError && (
        <Failure title={words.testFailed} error={test.error} onRetry={() => target && test.mutate(target.origin)} />
      )}
      {test.data && <Hops hops={test.data} />}
    </section>
  );
}

function Hops({ hops }: { hops: readonly NetworkHop[] }) {
  return (
    <div role="status" className="mt-3">
      <ol className="flex flex-col gap-2">
        {hops.map(({ step, found, ms, problem }) => (
          <li key={step} className="flex items-start gap-2">
            {problem ? (
              <CircleX size={16} className="mt-0.5 shrink-0 text-bad" aria-hidden />
            ) : (
              <CircleCheck size={16} className="mt-0.5 shrink-0 text-ok" aria-hidden />
            )}
            <span className="w-24 shrink-0 text-fg-2">{words.steps[step]}</span>
            <span className="min-w-0 flex-1 wrap-anywhere">
              {problem ? getSentence(problem) : found || words.direct}
            </span>
            <span className="shrink-0 text-fg-3 tabular-nums">{words.ms(ms)}</span>
          </li>
        ))}
      </ol>
      {hops.at(-1)?.step === 'answer' && hops.every(({ problem }) => problem === null) && (
        <p className="mt-2 text-fg-2">{words.reached}</p>
      )}
    </div>
  );
}
