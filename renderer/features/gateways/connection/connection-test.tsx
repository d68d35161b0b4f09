import { ChevronDown, CircleCheck, CircleX } from 'lucide-react';
import { useState } from 'react';
import type { NetworkHop, NetworkStatus } from '#shared/contract/app/network.ts';
import { useNetworkCalls } from '../../../api/use-settings-calls.ts';
import { getSentence } from '../../../text/error-text.ts';
import { Menu, MenuItem } from '../../../ui/dialogs/menu.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { SettingRow, SettingsHeading } from '../../../ui/forms/setting-row.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { networkText as words } from './network-text.ts';

/** Goes to what the app calls, and shows each step. */
export function ConnectionTest({ targets }: Pick<NetworkStatus, 'targets'>) {
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
            {targets.map(({ name, origin }, at) => (
              <MenuItem
                key={origin}
                onClick={() => {
                  test.reset();
                  setChosen(at);
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
