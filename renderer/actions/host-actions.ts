import { type ActionId, actionList } from '#shared/actions/action-list.ts';
import type { AppInfo } from '#shared/contract/app/app.ts';
import { useAppInfo } from '../api/use-core.ts';

/** A browser does these itself. */
const needs: Partial<Record<ActionId, keyof AppInfo['capabilities']>> = {
  newWindow: 'windows',
  zoomIn: 'zoom',
  zoomOut: 'zoom',
  zoomReset: 'zoom',
};

/** The actions that this host has. */
export function useHostActions(): (typeof actionList)[number][] {
  const capabilities = useAppInfo().data?.capabilities;
  return actionList.filter(({ id }) => {
    const need = needs[id];
    return need === undefined || capabilities?.[need] !== false;
  });
}
