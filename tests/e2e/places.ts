import { chatsViews, modelsViews, settingsSections } from '../../renderer/navigation/nav.ts';

/** Every page and view of the app that needs nothing to be there yet, as in the address. */
export const places: readonly string[] = [
  ...['#chat', '#temporary', '#models', '#usage', '#credits', '#reconciliation', '#account', '#settings'],
  ...chatsViews.map((view) => `#chats/${view}`),
  ...modelsViews.map((view) => `#models/${view}`),
  ...settingsSections.map((section) => `#settings/${section}`),
];
