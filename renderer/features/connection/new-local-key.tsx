import { useState } from 'react';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { useWallets } from '../../api/use-core.ts';
import { describeError } from '../../text/error-text.ts';
import { text } from '../../text/settings-text.ts';
import { Button } from '../../ui/elements/button.tsx';
import { Form } from '../../ui/forms/form.tsx';
import { Segmented } from '../../ui/forms/segmented.tsx';
import { TextField } from '../../ui/forms/text-field.tsx';
import { useCopy } from '../../ui/notices/use-copy.ts';
import { useLocalKeyCalls } from './use-local-keys.ts';

const words = text.localKeys;
const amount = /^\d{1,9}(\.\d{1,9})?$/;
const wallets = (['main', 'sandbox'] as const).map((value) => ({ value, label: words.wallets[value] }));

/** Creates a key and shows it once. */
export function NewLocalKey({ onDone }: { onDone: () => void }) {
  const { create } = useLocalKeyCalls();
  const known = useWallets().data?.filter(({ used }) => used) ?? [];
  const [chosen, setChosen] = useState<Wallet | null>(null);
  const [name, setName] = useState('');
  const [limit, setLimit] = useState('');
  // Without a provider’s key only test credits can be spent.
  const wallet = chosen ?? (known.some(({ id }) => id === 'main') ? 'main' : 'sandbox');
  const wrong = limit.trim() !== '' && !amount.test(limit.trim());
  const failure = create.isError ? describeError(create.error) : undefined;
  if (create.data) return <ShownOnce secret={create.data.key} onDone={onDone} />;
  return (
    <Form
      saveLabel={words.make}
      cancelLabel={text.cancel}
      ready={name.trim() !== '' && !wrong}
      busy={create.isPending}
      failure={failure && `${failure.sentence} ${failure.remedy}`}
      onSave={() => create.mutate({ name: name.trim(), wallet, limitUsd: limit.trim() || null })}
      onCancel={onDone}
    >
      <TextField
        label={words.name}
        placeholder={words.namePlaceholder}
        value={name}
        maxLength={100}
        autoFocus
        onChange={(event) => setName(event.target.value)}
      />
      <div className="flex flex-col items-start gap-1">
        <p className="font-medium text-fg-2 text-xs">{words.wallet}</p>
        <Segmented label={words.wallet} value={wallet} options={wallets} onChange={setChosen} />
      </div>
      <TextField
        label={words.limit}
        placeholder={words.noLimit}
        inputMode="decimal"
        value={limit}
        problem={wrong ? words.notAmount : undefined}
        onChange={(event) => setLimit(event.target.value)}
      />
    </Form>
  );
}

function ShownOnce({ secret, onDone }: { secret: string; onDone: () => void }) {
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
      <div className="mt-4 flex justify-end">
        <Button variant="primary" onClick={onDone}>
          {words.done}
        </Button>
      </div>
    </>
  );
}
