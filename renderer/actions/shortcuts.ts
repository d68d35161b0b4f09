import {
  type ActionId,
  actionList,
  isThreadAction,
  type ThreadAction,
  type WindowAction,
} from '#shared/actions/action-list.ts';
import { isMac } from '../browser/platform.ts';
import { keysOf, type Pressed } from '../keyboard/key-names.ts';
import { useBindings } from './bindings.ts';

function actionOf(pressed: Pressed, thread: boolean, mac: boolean): ActionId | null {
  const keys = keysOf(pressed, mac);
  if (keys === null) return null;
  const bindings = useBindings.getState();
  return (
    actionList.find((action) => isThreadAction(action) === thread && bindings[action.id].includes(keys))?.id ?? null
  );
}

/** Which action of the window a key press means, or null. */
export const windowActionOf = (pressed: Pressed, mac = isMac) => actionOf(pressed, false, mac) as WindowAction | null;

/** Which action of the conversation a key press there means, or null. */
export const threadActionOf = (pressed: Pressed, mac = isMac) => actionOf(pressed, true, mac) as ThreadAction | null;
