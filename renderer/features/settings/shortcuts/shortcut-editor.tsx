import { Plus, RotateCcw, X } from 'lucide-react';
import { useState } from 'react';
import { type ActionId, actionList } from '#shared/actions/action-list.ts';
import { useAppInfo } from '../../../api/use-core.ts';
import { keyNames } from '../../../keyboard/key-names.ts';
import { actionText, text } from '../../../text/action-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { Keys } from '../../../ui/elements/keys.tsx';
import { SearchField } from '../../../ui/forms/search-field.tsx';
import { CaptureKeys } from './capture-keys.tsx';
import { useRebind } from './use-rebind.ts';

const words = text.rebind;
const groups = ['chat', 'app', 'go', 'keyboard', 'thread'] as const;

/** All shortcuts, which can be searched, changed and reset. */
export function ShortcutEditor() {
  const [query, setQuery] = useState('');
  const rebind = useRebind();
  const wanted = query.trim().toLowerCase();
  const capabilities = useAppInfo().data?.capabilities;
  const inBrowser = capabilities?.windows === false;
  const shown = actionList.filter(
    ({ id, needs }) =>
      !(needs && capabilities?.[needs] === false) &&
      [actionText[id], ...rebind.bindings[id].map(keyNames)].some((words) => words.toLowerCase().includes(wanted)),
  );
  return (
    <>
      <p className="mb-3 text-fg-2">{inBrowser ? `${words.note} ${words.inBrowser}` : words.note}</p>
      <div className="flex flex-wrap items-center gap-2">
        <div className="flex min-w-40 flex-1">
          <SearchField label={words.filter} value={query} onChange={setQuery} />
        </div>
        <Button disabled={!rebind.anyChanged} onClick={rebind.resetAll}>
          {words.resetAll}
        </Button>
      </div>
      {shown.length === 0 && <p className="py-6 text-center text-fg-2">{words.nothing}</p>}
      {groups.map((group) => {
        const rows = shown.filter((action) => action.group === group);
        if (rows.length === 0) return null;
        return (
          <section key={group} aria-label={text.groups[group]}>
            <h3 className="mt-4 mb-1 font-medium text-fg-3 text-xs">{text.groups[group]}</h3>
            <ul className="divide-y divide-line">
              {rows.map(({ id }) => (
                <ShortcutRow key={id} id={id} rebind={rebind} />
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}

function ShortcutRow({ id, rebind }: { id: ActionId; rebind: ReturnType<typeof useRebind> }) {
  /** The keys that are being replaced. Null: keys are being added. */
  const [capturing, setCapturing] = useState<{ readonly replaced: string | null } | null>(null);
  const name = actionText[id];
  const keys = rebind.bindings[id];
  return (
    <li aria-label={name} className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 py-1">
      <span className="min-w-40 flex-1">{name}</span>
      <span className="flex flex-wrap items-center gap-1.5">
        {keys.length === 0 && !capturing && <span className="text-fg-3 text-xs">{words.none}</span>}
        {keys.map((key) =>
          capturing?.replaced === key ? null : (
            <span key={key} className="flex items-center">
              <button
                type="button"
                aria-label={words.change(keyNames(key), name)}
                className="rounded-control px-0.5 py-1 hover:bg-hover"
                onClick={() => setCapturing({ replaced: key })}
              >
                <Keys keys={key} />
              </button>
              <IconButton
                icon={X}
                size="sm"
                label={words.remove(keyNames(key), name)}
                className="size-6!"
                onClick={() => rebind.unbind(id, key)}
              />
            </span>
          ),
        )}
        {capturing && (
          <CaptureKeys id={id} rebind={rebind} replaced={capturing.replaced} onDone={() => setCapturing(null)} />
        )}
        <IconButton icon={Plus} size="sm" label={words.add(name)} onClick={() => setCapturing({ replaced: null })} />
        {rebind.isChanged(id) && (
          <IconButton icon={RotateCcw} size="sm" label={words.reset(name)} onClick={() => rebind.reset(id)} />
        )}
      </span>
    </li>
  );
}
