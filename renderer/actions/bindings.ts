import { useEffect } from 'react';
import { create } from 'zustand';
import type { ActionId } from '#shared/actions/action-list.ts';
import { type Bindings, getBindings } from '#shared/actions/bindings.ts';
import { useSettings } from '../api/use-core.ts';

/** The shortcuts in force, as the settings last said. */
export const useBindings = create<Bindings>()(() => getBindings({}));

/** The shortcut to show beside an action. */
export const useKeys = (id: ActionId): string | undefined => useBindings((bindings) => bindings[id][0]);

/** Keeps the shortcuts in step with the settings. Once per window. */
export function useFollowBindings(): void {
  const changed = useSettings().data?.shortcuts;
  useEffect(() => {
    if (changed) useBindings.setState(getBindings(changed));
  }, [changed]);
}
