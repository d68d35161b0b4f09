import { messages } from '../language/messages.ts';
import { type ActionId, actionList } from './action-list.ts';

/** The name of each action in a language, the same everywhere it is shown. */
export const actionNames = messages(
  Object.fromEntries(actionList.map(({ id, name }) => [id, name])) as Record<ActionId, string>,
);
