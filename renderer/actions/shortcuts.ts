import { type ActionId, actionList, type ThreadAction, type WindowAction } from '#shared/actions/action-list.ts';
import { isMac } from '../browser/platform.ts';
import { getKeys, type Pressed } from '../keyboard/key-names.ts';
import { useBindings } from './bindings.ts';

function getAction(pressed: Pressed, thread: boolean, mac: boolean): ActionId | null {
  const keys = getKeys(pressed, mac);
  if (keys === null) return null;
  const bindings = useBindings.getState();
  return (
    actionList.find((action) => (action.group === 'thread') === thread && bindings[action.id].includes(keys))?.id ??
    null
  );
}

/** Returns the window's action for a pressed key, or null. */
export const getWindowAction = (pressed: Pressed, mac = isMac) => getAction(pressed, false, mac) as WindowAction | null;

/** Returns the conversation's action for a pressed key, or null. */
export const getThreadAction = (pressed: Pressed, mac = isMac) => getAction(pressed, true, mac) as ThreadAction | null;
