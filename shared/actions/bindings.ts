import { type ActionId, actionList } from './action-list.ts';

/**
 * The shortcuts that the user has changed, by action. An empty list means the action has none. Ids of actions that only
 * another version has are ignored.
 */
export type ChangedKeys = Readonly<Record<string, readonly string[]>>;

export type Bindings = Readonly<Record<ActionId, readonly string[]>>;

export const getBindings = (changed: ChangedKeys): Bindings =>
  Object.fromEntries(actionList.map(({ id, keys }) => [id, changed[id] ?? keys])) as unknown as Bindings;
