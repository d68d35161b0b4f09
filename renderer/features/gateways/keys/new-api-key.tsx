import { useState } from 'react';
import { describeError } from '../../../text/error-text.ts';
import { keysText as words } from '../../../text/keys-text.ts';
import { Form } from '../../../ui/forms/form.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import type { KeyAccount } from './key-account.ts';
import { getBounds, isComplete, KeyFields, type KeyWish, type Scope, ScopeFields } from './key-fields.tsx';
import { ShownOnce } from './shown-once.tsx';
import { useApiKeyCalls } from './use-api-keys.ts';

interface NewApiKeyProps {
  /** The accounts that may pay for it; the first one does unless another is chosen. */
  accounts: readonly KeyAccount[];
  baseUrl: string | null;
  onDone: () => void;
}

/** Creates a key and shows it once. */
export function NewApiKey({ accounts, baseUrl, onDone }: NewApiKeyProps) {
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
