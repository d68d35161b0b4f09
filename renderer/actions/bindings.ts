import { useEffect } from 'react';
import { create } from 'zustand';
import type { ActionId } from '#shared/actions/action-list.ts';
import { type Bindings, getBindings } from '#shared/actions/bindings.ts';
import { useSettings } from '../api/use-core.ts';

/** The active shortcuts, according to the latest settings. */
export const useBindings = create<Bindings>()(() => getBindings({}));

/** The shortcut to show next to an action. */
export const useKeys = (id: ActionId): string | undefined => useBindings((bindings) => bindings[id][0]);

/** Updates the shortcuts when the settings change. Call it once per window. */
export function useFollowBindings(): void {
  const changed = useSettings().data?.shortcuts;
  useEffect(() => {
    if (changed) useBindings.setState(getBindings(changed));
  }, [changed]);
}
