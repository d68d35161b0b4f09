import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { ApiKeyEntry } from '#shared/contract/app/api-keys.ts';
import { formatMoment, getDay, usd } from '../../../text/format.ts';
import { keysText as words } from '../../../text/keys-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Menu, MenuItem } from '../../../ui/dialogs/menu.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { SettingRow } from '../../../ui/forms/setting-row.tsx';
import { NotRead } from '../../../ui/notices/not-read.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { Stale } from '../../../ui/notices/stale.tsx';
import { ChangeKey, RevokeKey, RotateKey } from './api-key-forms.tsx';
import type { KeyAccount } from './key-account.ts';
import { NewApiKey } from './new-api-key.tsx';
import { useApiKeys } from './use-api-keys.ts';

type Asked = { readonly about: 'change' | 'rotate' | 'revoke'; readonly entry: ApiKeyEntry } | null;

interface ApiKeysProps {
  accounts: readonly KeyAccount[];
  /** Where programs use these keys; null: nowhere at the moment. */
  baseUrl: string | null;
}

/** Keys for other programs: create, list, change, rotate, revoke. */
export function ApiKeys({ accounts, baseUrl }: ApiKeysProps) {
  const { keys, complete, error, readAt, refetch } = useApiKeys(accounts.map(({ id }) => id));
  const [making, setMaking] = useState(false);
  const [asked, setAsked] = useState<Asked>(null);
  const done = () => setAsked(null);
  if (error && !keys)
    return <NotRead title={words.failed} notReported={words.notReported} error={error} onRetry={refetch} />;
  if (!keys) return <SkeletonRows rows={2} label={words.loading} />;
  const getName = (entry: ApiKeyEntry) => entry.name ?? words.unnamed;
  return (
    <>
      <Stale error={error} readAt={readAt} />
      {keys.length === 0 && <p className="text-fg-2">{words.none}</p>}
      {keys.map((entry) => (
        <SettingRow
          key={entry.id}
          name={getName(entry)}
          note={
            <KeyNote
              entry={entry}
              account={accounts.length > 1 ? accounts.find(({ id }) => id === entry.account) : undefined}
            />
          }
        >
          <Menu
            trigger={
              <Button aria-label={words.changeOf(getName(entry))}>
                {words.change}
                <ChevronDown size={14} aria-hidden />
              </Button>
            }
          >
            <MenuItem onClick={() => setAsked({ about: 'change', entry })}>{words.edit}</MenuItem>
            <MenuItem onClick={() => setAsked({ about: 'rotate', entry })}>{words.rotate}</MenuItem>
            <MenuItem danger onClick={() => setAsked({ about: 'revoke', entry })}>
              {words.revoke}
            </MenuItem>
          </Menu>
        </SettingRow>
      ))}
      {!complete && <p className="py-2 text-fg-3 text-xs">{words.incomplete}</p>}
      <Button className="mt-3" onClick={() => setMaking(true)}>
        {words.add}
      </Button>
      <Dialog open={making} onOpenChange={setMaking} title={words.addTitle} width="wide">
        <NewApiKey accounts={accounts} baseUrl={baseUrl} onDone={() => setMaking(false)} />
      </Dialog>
      <Dialog
        open={asked !== null}
        onOpenChange={(open) => !open && done()}
        title={asked ? words.titles[asked.about](getName(asked.entry)) : ''}
      >
        {asked?.about === 'change' && <ChangeKey entry={asked.entry} onDone={done} />}
        {asked?.about === 'rotate' && <RotateKey entry={asked.entry} baseUrl={baseUrl} onDone={done} />}
        {asked?.about === 'revoke' && <RevokeKey entry={asked.entry} onDone={done} />}
      </Dialog>
    </>
  );
}

function KeyNote({ entry, account }: { entry: ApiKeyEntry; account: KeyAccount | undefined }) {
  const { prefix, scopes, spentUsd, limitUsd, lastUsedAt, expiresAt } = entry;
  const parts = [
    ...(account ? [account.name] : []),
    words.spent(usd(spentUsd), limitUsd === null ? null : usd(limitUsd)),
    lastUsedAt === null ? words.neverUsed : words.lastUsed(formatMoment(lastUsedAt)),
    ...(expiresAt === null ? [] : [words.endsOn(getDay(expiresAt))]),
    words.scopeList(scopes),
  ];
  return (
    <>
      <code className="font-mono">{prefix}…</code> · {parts.join(' · ')}
    </>
  );
}
