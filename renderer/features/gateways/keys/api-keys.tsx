import { ChevronDown } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { ApiKeyEntry } from '#shared/contract/app/api-keys.ts';
import { scope } from '#shared/wire/account.ts';
import { describeError, getSentence } from '../../../text/error-text.ts';
import { formatMoment, getDay, usd } from '../../../text/format.ts';
import { keysText as words } from '../../../text/keys-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Menu, MenuItem } from '../../../ui/dialogs/menu.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { Form } from '../../../ui/forms/form.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { SettingRow } from '../../../ui/forms/setting-row.tsx';
import { Switch } from '../../../ui/forms/switch.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { NotRead } from '../../../ui/notices/not-read.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { Stale } from '../../../ui/notices/stale.tsx';
import { useCopy } from '../../../ui/notices/use-copy.ts';
import { Snippets } from './snippets.tsx';
import { useApiKeyCalls, useApiKeys } from './use-api-keys.ts';

type Scope = (typeof scope.options)[number];

/** What was typed about a key. `end` is a day such as `2027-01-31`, or empty. */
interface KeyWish {
  readonly name: string;
  readonly limit: string;
  readonly end: string;
}

const amount = /^\d{1,9}(\.\d{1,9})?$/;

/** Returns the last moment of that day in local time. Null: no end. */
const getEnd = (day: string): number | null => (day === '' ? null : new Date(`${day}T23:59:59`).getTime());
/** Formats the day of a moment for a date field. */
function getDayField(ms: number | null): string {
  if (ms === null) return '';
  const date = new Date(ms);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const isLimit = (text: string): boolean => text.trim() === '' || amount.test(text.trim());
const isEnd = (day: string): boolean => day === '' || (getEnd(day) ?? 0) > Date.now();
const isComplete = ({ name, limit, end }: KeyWish): boolean => name.trim() !== '' && isLimit(limit) && isEnd(end);
const getBounds = ({ name, limit, end }: KeyWish) => ({
  name: name.trim(),
  limitUsd: limit.trim() || null,
  expiresAt: getEnd(end),
});

function KeyFields({ wish, onChange }: { wish: KeyWish; onChange: (wish: KeyWish) => void }) {
  return (
    <>
      <TextField
        label={words.name}
        placeholder={words.namePlaceholder}
        value={wish.name}
        maxLength={100}
        autoFocus
        onChange={(event) => onChange({ ...wish, name: event.target.value })}
      />
      <div className="flex gap-3 max-sm:flex-col">
        <TextField
          className="flex-1"
          label={words.limit}
          placeholder={words.noLimit}
          inputMode="decimal"
          value={wish.limit}
          problem={isLimit(wish.limit) ? undefined : words.notAmount}
          onChange={(event) => onChange({ ...wish, limit: event.target.value })}
        />
        <TextField
          className="flex-1"
          type="date"
          label={words.end}
          value={wish.end}
          problem={isEnd(wish.end) ? undefined : words.notEnd}
          onChange={(event) => onChange({ ...wish, end: event.target.value })}
        />
      </div>
    </>
  );
}

function ScopeFields({ value, onChange }: { value: readonly Scope[]; onChange: (value: Scope[]) => void }) {
  return (
    <div>
      <p className="font-medium text-fg-2 text-xs">{words.may}</p>
      {scope.options.map((name) => (
        <SettingRow key={name} name={words.scopes[name].name} note={words.scopes[name].note}>
          <Switch
            label={words.scopes[name].name}
            checked={value.includes(name)}
            onChange={(checked) =>
              onChange(scope.options.filter((option) => (option === name ? checked : value.includes(option))))
            }
          />
        </SettingRow>
      ))}
    </div>
  );
}

interface KeyFormProps {
  entry: ApiKeyEntry;
  onDone: () => void;
}

function toFailure(error: Error | null): string | undefined {
  if (!error) return undefined;
  const { sentence, remedy } = describeError(error);
  return `${sentence} ${remedy}`;
}

function ChangeKey({ entry, onDone }: KeyFormProps) {
  const { change } = useApiKeyCalls();
  const [wish, setWish] = useState({
    name: entry.name ?? '',
    limit: entry.limitUsd ?? '',
    end: getDayField(entry.expiresAt),
  });
  return (
    <Form
      saveLabel={words.save}
      cancelLabel={words.cancel}
      ready={isComplete(wish)}
      busy={change.isPending}
      failure={toFailure(change.error)}
      onSave={() => {
        // An unchanged day keeps its exact time.
        const bounds = getBounds(wish);
        const expiresAt = wish.end === getDayField(entry.expiresAt) ? entry.expiresAt : bounds.expiresAt;
        change.mutate({ account: entry.account, id: entry.id, ...bounds, expiresAt }, { onSuccess: onDone });
      }}
      onCancel={onDone}
    >
      <KeyFields wish={wish} onChange={setWish} />
    </Form>
  );
}

const ends = (['0', '24', '168'] as const).map((value) => ({ value, label: words.oldEnds[value] }));

function RotateKey({ entry, baseUrl, onDone }: KeyFormProps & { baseUrl: string | null }) {
  const { rotate } = useApiKeyCalls();
  const [hours, setHours] = useState<(typeof ends)[number]['value']>('24');
  if (rotate.data) {
    const { key, problem } = rotate.data;
    return (
      <ShownOnce secret={key} baseUrl={baseUrl} onDone={onDone}>
        <div className="mt-3">
          {problem ? (
            <Notice tone="bad">{words.oldStays(getSentence(problem))}</Notice>
          ) : (
            <p className="text-fg-2">{words.oldEnded[hours]}</p>
          )}
        </div>
      </ShownOnce>
    );
  }
  return (
    <Form
      saveLabel={words.rotate}
      cancelLabel={words.cancel}
      busy={rotate.isPending}
      failure={toFailure(rotate.error)}
      onSave={() => rotate.mutate({ account: entry.account, id: entry.id, endsInHours: Number(hours) })}
      onCancel={onDone}
    >
      <p className="text-fg-2">{words.rotateBody}</p>
      <div className="flex flex-col items-start gap-1">
        <p className="font-medium text-fg-2 text-xs">{words.oldKeyEnds}</p>
        <Segmented label={words.oldKeyEnds} value={hours} options={ends} onChange={setHours} />
      </div>
    </Form>
  );
}

function RevokeKey({ entry, onDone }: KeyFormProps) {
  const { revoke } = useApiKeyCalls();
  return (
    <Form
      saveLabel={words.revoke}
      cancelLabel={words.cancel}
      busy={revoke.isPending}
      failure={toFailure(revoke.error)}
      onSave={() => revoke.mutate({ account: entry.account, id: entry.id }, { onSuccess: onDone })}
      onCancel={onDone}
    >
      <p className="text-fg-2">{words.revokeBody}</p>
    </Form>
  );
}

type Asked = { readonly about: 'change' | 'rotate' | 'revoke'; readonly entry: ApiKeyEntry } | null;

interface ApiKeysProps {
  accounts: readonly KeyAccount[];
  /** The URL that programs use with these keys. Null: none at the moment. */
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
              <Button aria-label={words.changeLabel(getName(entry))}>
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

interface NewApiKeyProps {
  /** The accounts that may pay for it. The first one is the default. */
  accounts: readonly KeyAccount[];
  baseUrl: string | null;
  onDone: () => void;
}

/** Creates a key and shows it once. */
function NewApiKey({ accounts, baseUrl, onDone }: NewApiKeyProps) {
  const { create } = useApiKeyCalls();
  const [account, setAccount] = useState(accounts[0]?.id ?? '');
  const [wish, setWish] = useState<KeyWish>({ name: '', limit: '', end: '' });
  const [scopes, setScopes] = useState<Scope[]>(['chat', 'models']);
  const failure = create.isError ? describeError(create.error) : undefined;
  const elsewhere = accounts.some(({ embedded }) => !embedded);
  if (create.data) return <ShownOnce secret={create.data.key} baseUrl={baseUrl} onDone={onDone} />;
  return (
    <Form
      saveLabel={words.make}
      cancelLabel={words.cancel}
      ready={isComplete(wish) && scopes.length > 0}
      busy={create.isPending}
      failure={failure && `${failure.sentence} ${failure.remedy}`}
      onSave={() => create.mutate({ account, scopes, ...getBounds(wish) })}
      onCancel={onDone}
    >
      <KeyFields wish={wish} onChange={setWish} />
      {accounts.length > 1 && (
        <div className="flex flex-col items-start gap-1">
          <p className="font-medium text-fg-2 text-xs">{words.paidFrom}</p>
          <Segmented
            label={words.paidFrom}
            value={account}
            options={accounts.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={setAccount}
          />
        </div>
      )}
      <ScopeFields value={scopes} onChange={setScopes} />
      {elsewhere && <p className="text-fg-3 text-xs">{words.endsWithOurs}</p>}
    </Form>
  );
}

/** An account that keys can be created for. */
interface KeyAccount {
  /** `main` or `sandbox` of the built-in gateway, or the id of an account at another one. */
  readonly id: string;
  readonly name: string;
  readonly embedded: boolean;
}

interface ShownOnceProps {
  secret: string;
  /** The URL that programs use with it. Null: none at the moment. */
  baseUrl: string | null;
  /** Additional information about this key. */
  children?: ReactNode;
  onDone: () => void;
}

/** Shows a key that was just created. This is the only time it is visible. */
function ShownOnce({ secret, baseUrl, children, onDone }: ShownOnceProps) {
  const [copied, copy] = useCopy();
  return (
    <>
      <p role="status" className="text-fg-2">
        {words.created}
      </p>
      <div className="mt-3 flex items-start gap-2 rounded-menu border border-line bg-sunken p-3">
        <code className="min-w-0 flex-1 font-mono text-sm break-all select-all">{secret}</code>
        <Button autoFocus onClick={() => void copy(secret)}>
          {copied ? words.copied : words.copy}
        </Button>
      </div>
      {children}
      {baseUrl !== null && <Snippets baseUrl={baseUrl} secret={secret} />}
      <div className="mt-4 flex justify-end">
        <Button variant="primary" onClick={onDone}>
          {words.done}
        </Button>
      </div>
    </>
  );
}
