import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useQuickWindow, useSetQuickKeys } from '../../../api/use-app-calls.ts';
import { isMac } from '../../../browser/platform.ts';
import { getKeys, keyNames } from '../../../keyboard/key-names.ts';
import { describeError, getSentence } from '../../../text/error-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Keys } from '../../../ui/elements/keys.tsx';
import { SettingRow } from '../../../ui/forms/setting-row.tsx';
import { text } from './desktop-text.ts';

const { quick: words } = text;

/** The system-wide shortcut that shows the small window. */
export function QuickSetting() {
  const { data, error } = useQuickWindow();
  const set = useSetQuickKeys();
  const [capturing, setCapturing] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const take = (keys: string | null) => {
    setCapturing(false);
    setRefused(null);
    set.mutate(keys);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Tab' || event.key === 'Escape') return setCapturing(false);
    event.preventDefault();
    event.stopPropagation();
    const keys = getKeys(event, isMac);
    if (keys === null) return;
    // Without a modifier, the shortcut would take a typing key from every program.
    if (!/^(?:mod|Alt)\+/.test(keys)) return setRefused(words.unsuited(keyNames(keys)));
    take(keys);
  };
  const problem =
    refused ??
    (set.error ? describeError(set.error).sentence : data?.problem ? getSentence(data.problem) : null) ??
    (error ? words.failed : null);
  return (
    <SettingRow name={words.title} note={words.note}>
      {problem && (
        <p role="alert" className="w-full text-bad text-xs sm:order-last">
          {problem}
        </p>
      )}
      {data &&
        !capturing &&
        (data.keys === null ? <span className="text-fg-3">{words.off}</span> : <Keys keys={data.keys} />)}
      {capturing ? (
        <Capture onKeyDown={onKeyDown} onLeave={() => setCapturing(false)} />
      ) : (
        <Button
          disabled={!data || set.isPending}
          aria-label={data?.keys ? words.change(keyNames(data.keys)) : words.set}
          onClick={() => setCapturing(true)}
        >
          {data?.keys ? words.changeShort : words.set}
        </Button>
      )}
      {data?.keys != null && !capturing && (
        <Button variant="quiet" onClick={() => take(null)}>
          {words.turnOff}
        </Button>
      )}
    </SettingRow>
  );
}

function Capture({ onKeyDown, onLeave }: { onKeyDown: (event: KeyboardEvent) => void; onLeave: () => void }) {
  const field = useRef<HTMLButtonElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <button
      ref={field}
      type="button"
      aria-label={words.pressing}
      onKeyDown={onKeyDown}
      onBlur={onLeave}
      className="h-control rounded-control border border-accent bg-accent-soft px-3 font-medium text-accent text-sm"
    >
      {words.press}
    </button>
  );
}
