import { useState } from 'react';
import type { Provider } from '#shared/contract/providers.ts';
import { since } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ProviderMark } from '../../ui/provider-mark.tsx';
import { useNotify } from '../../ui/use-notify.ts';
import { KeyForm } from './key-form.tsx';
import { text } from './text.ts';
import { useProviderCalls } from './use-settings-calls.ts';

const words = text.providers;

const tones = { not_set: 'plain', unchecked: 'plain', works: 'ok', refused: 'bad', unreachable: 'warn' } as const;

/** One provider: how it stands, and what can be done about it. */
export function ProviderRow({ provider }: { provider: Provider }) {
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const { check, remove } = useProviderCalls();
  const { failed } = useNotify();
  const set = provider.state !== 'not_set';
  const editLabel = set ? words.replace : provider.ownServer ? words.setUp : words.add;
  const named = (action: string) => words.actionsFor(action, provider.name);
  return (
    <li className="border-line border-b py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <ProviderMark provider={provider.id} size={24} />
        <div className="min-w-40 flex-1">
          <p className="flex items-center gap-2 font-medium">
            {provider.name} <Badge tone={tones[provider.state]}>{words.states[provider.state]}</Badge>
          </p>
          {set && <KeyLine provider={provider} />}
        </div>
        <div className="flex gap-1.5">
          {set && (
            <>
              <Button
                aria-label={named(words.check)}
                disabled={check.isPending}
                onClick={() => check.mutate(provider.id, { onError: (error) => failed(named(words.check), error) })}
              >
                {check.isPending ? words.checking : words.check}
              </Button>
              {provider.storage !== 'environment' && (
                <Button look="danger" aria-label={named(words.remove)} onClick={() => setRemoving(true)}>
                  {words.remove}
                </Button>
              )}
            </>
          )}
          <Button aria-label={named(editLabel)} aria-expanded={editing} onClick={() => setEditing(!editing)}>
            {editLabel}
          </Button>
        </div>
      </div>
      {provider.message && <p className="mt-1 pl-9 text-fg-2 text-sm wrap-anywhere">{provider.message}</p>}
      {editing && <KeyForm provider={provider} onDone={() => setEditing(false)} />}
      <Dialog
        open={removing}
        onOpenChange={setRemoving}
        title={(provider.ownServer ? words.removeServerTitle : words.removeTitle)(provider.name)}
      >
        <p className="text-fg-2">{provider.ownServer ? words.removeServerBody : words.removeBody}</p>
        <div className="mt-4 flex justify-end gap-2">
          <Button onClick={() => setRemoving(false)}>{text.cancel}</Button>
          <Button
            look="danger"
            disabled={remove.isPending}
            onClick={() =>
              remove.mutate(provider.id, {
                onSuccess: () => setRemoving(false),
                onError: (error) => failed(named(words.remove), error),
              })
            }
          >
            {words.remove}
          </Button>
        </div>
      </Dialog>
    </li>
  );
}

function KeyLine({ provider }: { provider: Provider }) {
  const parts = [
    provider.storage && words.storage[provider.storage],
    provider.baseUrl,
    provider.checkedAt !== null && words.checked(since(provider.checkedAt, Date.now())),
  ].filter(Boolean);
  return (
    <p className="text-fg-3 text-xs wrap-anywhere">
      {provider.keyHint && <code className="font-mono">{provider.keyHint}</code>} {parts.join(' · ')}
    </p>
  );
}
