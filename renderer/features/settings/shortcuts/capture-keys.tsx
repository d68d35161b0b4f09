import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { ActionId } from '#shared/actions/action-list.ts';
import { isMac } from '../../../browser/platform.ts';
import { getKeys, keyNames } from '../../../keyboard/key-names.ts';
import { actionText, text } from '../../../text/action-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import type { useRebind } from './use-rebind.ts';

const words = text.rebind;

interface CaptureKeysProps {
  id: ActionId;
  rebind: ReturnType<typeof useRebind>;
  /** The keys that the new ones replace. */
  replaced: string | null;
  onDone: () => void;
}

/** Takes the next pressed keys as a shortcut, unless they belong to something else. */
export function CaptureKeys({ id, rebind, replaced, onDone }: CaptureKeysProps) {
  const field = useRef<HTMLButtonElement>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const [taken, setTaken] = useState<{ keys: string; holder: ActionId } | null>(null);
  useEffect(() => field.current?.focus(), []);

  const bind = (keys: string) => {
    rebind.bind(id, keys, replaced);
    onDone();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Tab') return onDone();
    event.preventDefault();
    event.stopPropagation();
    const keys = getKeys(event, isMac);
    if (keys === null) return;
    const problem = rebind.getProblem(id, keys);
    const holder = rebind.getHolder(id, keys);
    setTaken(!problem && holder ? { keys, holder } : null);
    setRefused(problem && words[problem](keyNames(keys)));
    if (!problem && !holder) bind(keys);
  };
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      <button
        ref={field}
        type="button"
        aria-label={words.pressing(actionText[id])}
        onKeyDown={onKeyDown}
        onBlur={() => taken === null && onDone()}
        className="h-7 rounded-control border border-accent bg-accent-soft px-2 font-medium text-accent text-xs"
      >
        {words.press}
      </button>
      <span role="alert" className="text-fg-2 text-xs">
        {refused ?? (taken && words.taken(keyNames(taken.keys), actionText[taken.holder]))}
      </span>
      {taken && (
        <>
          <Button onClick={() => bind(taken.keys)}>{words.takeOver}</Button>
          <Button variant="quiet" onClick={onDone}>
            {words.cancel}
          </Button>
        </>
      )}
    </span>
  );
}
