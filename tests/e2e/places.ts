import { chatsViews, modelsViews, settingsSections } from '../../renderer/navigation/nav.ts';

/** Addresses of all pages and views of the app that need no data. */
export const places: readonly string[] = [
  ...['#chat', '#temporary', '#models', '#usage', '#credits', '#reconciliation', '#account', '#settings'],
  ...chatsViews.map((view) => `#chats/${view}`),
  ...modelsViews.map((view) => `#models/${view}`),
  ...settingsSections.map((section) => `#settings/${section}`),
];
