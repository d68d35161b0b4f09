import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { GatewayAccount } from '#shared/contract/app/gateway-accounts.ts';
import { useGatewayAccountCalls, useGatewayAccounts } from '../../../api/use-gateway-accounts.ts';
import { connectionText as words } from '../../../text/connection-text.ts';
import { describeError } from '../../../text/error-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Menu, MenuItem } from '../../../ui/dialogs/menu.tsx';
import { Badge } from '../../../ui/elements/badge.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { Form } from '../../../ui/forms/form.tsx';
import { SettingRow } from '../../../ui/forms/setting-row.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { CredentialEnd } from './credential-end.tsx';

type Asked = { readonly about: 'rename' | 'replace' | 'remove'; readonly account: GatewayAccount } | null;

/** The built-in gateway and all remote accounts, which of them pays, and the actions on each. */
export function GatewayList() {
  const list = useGatewayAccounts();
  const [asked, setAsked] = useState<Asked>(null);
  const done = () => setAsked(null);
  if (list.isPending) return <SkeletonRows rows={2} label={words.loading} />;
  if (list.isError && !list.data)
    return <Failure title={words.failed} error={list.error} onRetry={() => void list.refetch()} />;
  const { accounts = [], active = null } = list.data ?? {};
  return (
    <>
      <SettingRow name={words.builtIn} note={words.builtInNote}>
        <Use id={null} name={words.builtIn} active={active === null} />
      </SettingRow>
      {accounts.map((account) => (
        <SettingRow key={account.id} name={account.name} note={<AccountNote account={account} />}>
          <Use id={account.id} name={account.name} active={active === account.id} />
          <Menu
            trigger={
              <Button aria-label={words.moreLabel(account.name)}>
                {words.more}
                <ChevronDown size={14} aria-hidden />
              </Button>
            }
          >
            <MenuItem onClick={() => setAsked({ about: 'rename', account })}>{words.rename}</MenuItem>
            <MenuItem onClick={() => setAsked({ about: 'replace', account })}>{words.replace}</MenuItem>
            <MenuItem danger onClick={() => setAsked({ about: 'remove', account })}>
              {words.remove}
            </MenuItem>
          </Menu>
        </SettingRow>
      ))}
      <Dialog
        open={asked !== null}
        onOpenChange={(open) => !open && done()}
        title={asked ? words.titles[asked.about](asked.account.name) : ''}
      >
        {asked?.about === 'rename' && <RenameForm account={asked.account} onDone={done} />}
        {asked?.about === 'replace' && <ReplaceForm account={asked.account} onDone={done} />}
        {asked?.about === 'remove' && (
          <RemoveForm account={asked.account} active={asked.account.id === active} onDone={done} />
        )}
      </Dialog>
    </>
  );
}

function Use({ id, name, active }: { id: string | null; name: string; active: boolean }) {
  const { use } = useGatewayAccountCalls();
  const { failed } = useNotify();
  if (active) return <Badge tone="ok">{words.inUse}</Badge>;
  return (
    <Button
      aria-label={words.switchTo(name)}
      disabled={use.isPending}
      onClick={() => use.mutate(id, { onError: (error) => failed(words.notUsed, error) })}
    >
      {words.use}
    </Button>
  );
}

function AccountNote({ account }: { account: GatewayAccount }) {
  const { baseUrl, kind, keyHint, storage } = account;
  return (
    <>
      {words.where(baseUrl, words.credentials[kind], keyHint)}
      {storage === 'session' && ` · ${words.thisSession}`}
      {account.expiresAt !== null && ' · '}
      <CredentialEnd account={account} />
    </>
  );
}

interface AskedProps {
  account: GatewayAccount;
  onDone: () => void;
}

function toFailure(error: Error | null): string | undefined {
  if (!error) return undefined;
  const { sentence, remedy } = describeError(error);
  return `${sentence} ${remedy}`;
}

function RenameForm({ account, onDone }: AskedProps) {
  const { change } = useGatewayAccountCalls();
  const [name, setName] = useState(account.name);
  return (
    <Form
      saveLabel={words.save}
      cancelLabel={words.cancel}
      ready={name.trim() !== ''}
      busy={change.isPending}
      failure={toFailure(change.error)}
      onSave={() => change.mutate({ id: account.id, name: name.trim() }, { onSuccess: onDone })}
      onCancel={onDone}
    >
      <TextField
        label={words.name}
        value={name}
        maxLength={60}
        autoFocus
        onChange={(event) => setName(event.target.value)}
      />
    </Form>
  );
}

function ReplaceForm({ account, onDone }: AskedProps) {
  const { change } = useGatewayAccountCalls();
  const [key, setKey] = useState('');
  return (
    <Form
      saveLabel={words.checkAndSave}
      cancelLabel={words.cancel}
      ready={key.trim().length >= 8}
      busy={change.isPending}
      failure={toFailure(change.error)}
      onSave={() => change.mutate({ id: account.id, key: key.trim() }, { onSuccess: onDone })}
      onCancel={onDone}
    >
      <p className="text-fg-2">{words.replaceNote(account.baseUrl)}</p>
      <TextField
        label={words.credential}
        type="password"
        value={key}
        autoFocus
        onChange={(event) => setKey(event.target.value)}
      />
    </Form>
  );
}

function RemoveForm({ account, active, onDone }: AskedProps & { active: boolean }) {
  const { remove } = useGatewayAccountCalls();
  return (
    <Form
      saveLabel={words.remove}
      cancelLabel={words.cancel}
      busy={remove.isPending}
      failure={toFailure(remove.error)}
      onSave={() => remove.mutate(account.id, { onSuccess: onDone })}
      onCancel={onDone}
    >
      <p className="text-fg-2">
        {words.removeNote} {active && words.removeActive}
      </p>
    </Form>
  );
}
