import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Provider, ProviderKey } from '#shared/contract/app/providers.ts';
import { describeError, getSentence } from '../../../text/error-text.ts';
import { text } from '../../../text/settings-text.ts';
import { Badge } from '../../../ui/elements/badge.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useProviderCalls } from './use-provider-calls.ts';

const words = text.providers;

const tones = {
  unchecked: 'plain',
  works: 'ok',
  refused: 'bad',
  unreachable: 'warn',
  empty: 'bad',
  rate_limited: 'warn',
} as const;

/** The keys of a provider in the order in which they are tried. */
export function KeyList({ provider }: { provider: Provider }) {
  const [adding, setAdding] = useState(false);
  const { keys } = provider;
  return (
    <div className="mt-2 pl-9">
      {keys.length > 1 && (
        <>
          <p className="text-fg-3 text-xs">{words.keyOrderNote}</p>
          <ol aria-label={words.keysLabel(provider.name)} className="mt-1 mb-1.5">
            {keys.map((key, index) => (
              <KeyItem key={key.id} provider={provider} entry={key} position={index} />
            ))}
          </ol>
        </>
      )}
      {adding ? (
        <FurtherKeyForm provider={provider} onDone={() => setAdding(false)} />
      ) : (
        <Button
          variant="quiet"
          className="-ml-3"
          aria-label={words.actionsFor(words.addFurther, provider.name)}
          onClick={() => setAdding(true)}
        >
          {words.addFurther}
        </Button>
      )}
    </div>
  );
}

function KeyItem({ provider, entry, position }: { provider: Provider; entry: ProviderKey; position: number }) {
  const { orderKeys, remove } = useProviderCalls();
  const { failed } = useNotify();
  const { keys } = provider;
  const move = (step: 1 | -1) => {
    const keyIds = keys.map(({ id }) => id);
    keyIds.splice(position, 1);
    keyIds.splice(position + step, 0, entry.id);
    orderKeys.mutate({ id: provider.id, keyIds }, { onError: (error) => failed(words.moveFailed, error) });
  };
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-1 py-0.5 text-sm">
      <span className="w-4 text-fg-3 text-xs tabular-nums" aria-hidden>
        {position + 1}
      </span>
      <span className="min-w-0 flex-1 wrap-anywhere">
        {entry.label} {entry.hint && <code className="font-mono text-fg-3 text-xs">{entry.hint}</code>}{' '}
        <Badge tone={tones[entry.state]}>{words.keyStates[entry.state]}</Badge>
      </span>
      <span className="flex">
        <IconButton
          icon={ArrowUp}
          size="sm"
          label={words.earlier(entry.label)}
          disabled={position === 0 || orderKeys.isPending}
          onClick={() => move(-1)}
        />
        <IconButton
          icon={ArrowDown}
          size="sm"
          label={words.later(entry.label)}
          disabled={position === keys.length - 1 || orderKeys.isPending}
          onClick={() => move(1)}
        />
        <IconButton
          icon={Trash2}
          size="sm"
          label={words.removeKey(entry.label)}
          disabled={remove.isPending}
          onClick={() =>
            remove.mutate(
              { id: provider.id, keyId: entry.id },
              { onError: (error) => failed(words.removeKey(entry.label), error) },
            )
          }
        />
      </span>
      {entry.problem && <p className="w-full pl-6 text-fg-2 text-xs wrap-anywhere">{getSentence(entry.problem)}</p>}
    </li>
  );
}

function FurtherKeyForm({ provider, onDone }: { provider: Provider; onDone: () => void }) {
  const [label, setLabel] = useState(words.keyNumber(provider.keys.length + 1));
  const [key, setKey] = useState('');
  const { addKey } = useProviderCalls();
  const failure = addKey.isError ? describeError(addKey.error) : null;
  const complete = key.trim().length >= 8 && label.trim() !== '';
  return (
    <form
      className="mt-1 flex flex-col gap-3 rounded-menu border border-line bg-sunken p-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete) addKey.mutate({ id: provider.id, label: label.trim(), key: key.trim() }, { onSuccess: onDone });
      }}
    >
      <TextField
        label={words.keyLabel}
        value={label}
        maxLength={60}
        onChange={(event) => setLabel(event.target.value)}
      />
      <TextField
        label={words.key}
        type="password"
        autoFocus
        value={key}
        problem={failure ? `${failure.sentence} ${failure.remedy}` : undefined}
        onChange={(event) => setKey(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" type="submit" disabled={!complete || addKey.isPending}>
          {addKey.isPending ? words.checking : words.save}
        </Button>
        <Button onClick={onDone}>{text.cancel}</Button>
      </div>
    </form>
  );
}
