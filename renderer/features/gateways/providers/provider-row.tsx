import { useState } from 'react';
import type { Provider } from '#shared/contract/app/providers.ts';
import { getSentence } from '../../../text/error-text.ts';
import { since } from '../../../text/format.ts';
import { text as modelsText } from '../../../text/models-text.ts';
import { text } from '../../../text/settings-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Badge } from '../../../ui/elements/badge.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { ProviderMark } from '../../../ui/elements/provider-mark.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { isKeyFormLeft, KeyForm } from './key-form.tsx';
import { KeyList } from './key-list.tsx';
import { NamedModels } from './named-models.tsx';
import { isServerFormLeft, ServerForm } from './server-form.tsx';
import { UseForNewChats } from './use-for-new-chats.tsx';
import { useProviderCalls } from './use-provider-calls.ts';

const words = text.providers;

const tones = { not_set: 'plain', unchecked: 'plain', works: 'ok', refused: 'bad', unreachable: 'warn' } as const;

/**
 * One provider with its state and actions. `isNew` marks one that was just added, which may be known only after the
 * first render.
 */
export function ProviderRow({ provider, isNew = false }: { provider: Provider; isNew?: boolean }) {
  const [editing, setEditing] = useState(() => isServerFormLeft(provider) || isKeyFormLeft(provider));
  const [naming, setNaming] = useState(false);
  const [removing, setRemoving] = useState(false);
  const [checked, setChecked] = useState(false);
  const { check } = useProviderCalls();
  const { failed } = useNotify();
  const set = provider.state !== 'not_set';
  const editLabel = provider.server ? words.edit : set ? words.replace : provider.ownServer ? words.setUp : words.add;
  const named = (action: string) => words.actionsFor(action, provider.name);
  const done = () => setEditing(false);
  const saved = () => {
    setEditing(false);
    setChecked(true);
  };
  return (
    <li
      data-setting={provider.name}
      className="border-line data-found:bg-accent-soft border-b py-3"
      aria-label={provider.name}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <ProviderMark provider={provider.id} size={24} />
        <div className="min-w-40 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
            {provider.name} <Badge tone={tones[provider.state]}>{words.states[provider.state]}</Badge>
          </p>
          {set && <KeyLine provider={provider} />}
        </div>
        <div className="flex flex-wrap gap-1.5">
          {set && (
            <>
              <Button
                aria-label={named(words.check)}
                disabled={check.isPending}
                onClick={() =>
                  check.mutate(provider.id, {
                    onSuccess: () => setChecked(true),
                    onError: (error) => failed(named(words.check), error),
                  })
                }
              >
                {check.isPending ? words.checking : words.check}
              </Button>
              {!provider.server && (
                <Button
                  aria-label={named(modelsText.byHand.add)}
                  aria-expanded={naming}
                  onClick={() => setNaming(!naming)}
                >
                  {modelsText.byHand.add}
                </Button>
              )}
              {provider.storage !== 'environment' && (
                <Button variant="danger" aria-label={named(words.remove)} onClick={() => setRemoving(true)}>
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
      {provider.problem && <p className="mt-1 pl-9 text-fg-2 text-sm wrap-anywhere">{getSentence(provider.problem)}</p>}
      {(checked || isNew) && provider.state === 'works' && <UseForNewChats provider={provider} />}
      {naming && <NamedModels provider={provider} onClose={() => setNaming(false)} />}
      {editing && provider.server && <ServerForm provider={provider} onCancel={done} onSaved={saved} />}
      {editing && !provider.server && <KeyForm provider={provider} onCancel={done} onSaved={saved} />}
      {provider.keys.length > 0 && provider.storage !== 'environment' && <KeyList provider={provider} />}
      <RemoveDialog provider={provider} open={removing} onOpenChange={setRemoving} />
    </li>
  );
}

interface RemoveDialogProps {
  provider: Provider;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

function RemoveDialog({ provider, open, onOpenChange }: RemoveDialogProps) {
  const { remove } = useProviderCalls();
  const { failed } = useNotify();
  const isServer = provider.ownServer || provider.server !== null;
  const many = provider.keys.length > 1;
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={(isServer ? words.removeServerTitle : many ? words.removeAllTitle : words.removeTitle)(provider.name)}
    >
      <p className="text-fg-2">{isServer ? words.removeServerBody : words.removeBody}</p>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={() => onOpenChange(false)}>{text.cancel}</Button>
        <Button
          variant="danger"
          disabled={remove.isPending}
          onClick={() =>
            remove.mutate(
              { id: provider.id },
              {
                onSuccess: () => onOpenChange(false),
                onError: (error) => failed(words.actionsFor(words.remove, provider.name), error),
              },
            )
          }
        >
          {words.remove}
        </Button>
      </div>
    </Dialog>
  );
}

function KeyLine({ provider }: { provider: Provider }) {
  const parts = [
    provider.server && words.kinds[provider.server.kind],
    provider.storage && words.storage[provider.storage],
    provider.baseUrl,
    provider.models && modelsText.byHand.count(provider.models.length),
    provider.checkedAt !== null && words.checked(since(provider.checkedAt, Date.now())),
  ].filter(Boolean);
  const { keys, keyHint } = provider;
  return (
    <p className="text-fg-3 text-xs wrap-anywhere">
      {keys.length > 1 ? `${words.keyCount(keys.length)} · ` : keyHint && <code className="font-mono">{keyHint} </code>}
      {parts.join(' · ')}
    </p>
  );
}
