import type { ActionId } from '#shared/actions/action-list.ts';
import { type ChangedKeys, getBindings } from '#shared/actions/bindings.ts';
import { getHolder, keysProblem } from '#shared/actions/rebinding.ts';
import { useBindings } from '../../../actions/bindings.ts';
import { useSettings, useUpdateSettings } from '../../../api/use-core.ts';
import { text } from '../../../text/action-text.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';

const defaults = getBindings({});

/** Changes shortcuts. Each change is saved at once. A shortcut equal to the default is not stored. */
export function useRebind() {
  const bindings = useBindings();
  const changed = useSettings().data?.shortcuts ?? {};
  const update = useUpdateSettings();
  const { failed } = useNotify();

  function save(next: ChangedKeys): void {
    const shortcuts = Object.fromEntries(Object.entries(next).map(([id, keys]) => [id, [...keys]]));
    update.mutate({ shortcuts }, { onError: (error) => failed(text.rebind.failed, error) });
  }

  function withKeys(all: ChangedKeys, id: ActionId, keys: readonly string[]): ChangedKeys {
    const { [id]: _before, ...others } = all;
    return keys.join(' ') === defaults[id].join(' ') ? others : { ...others, [id]: keys };
  }

  return {
    bindings,
    isChanged: (id: ActionId) => changed[id] !== undefined,
    anyChanged: Object.keys(changed).length > 0,
    getProblem: keysProblem,
    getHolder: (id: ActionId, keys: string) => getHolder(bindings, id, keys),
    /** Binds keys to an action in place of `replaced`, and takes them from the action that had them. */
    bind(id: ActionId, keys: string, replaced: string | null): void {
      const holder = getHolder(bindings, id, keys);
      const freed = holder
        ? withKeys(
            changed,
            holder,
            bindings[holder].filter((other) => other !== keys),
          )
        : changed;
      const own =
        replaced === null ? [...bindings[id], keys] : bindings[id].map((other) => (other === replaced ? keys : other));
      save(withKeys(freed, id, [...new Set(own)]));
    },
    unbind: (id: ActionId, keys: string) =>
      save(
        withKeys(
          changed,
          id,
          bindings[id].filter((other) => other !== keys),
        ),
      ),
    reset(id: ActionId): void {
      const { [id]: _own, ...others } = changed;
      save(others);
    },
    resetAll: () => save({}),
  };
}
