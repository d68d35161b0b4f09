import type { CoreLink } from '../api/api.ts';
import { followChanges } from '../api/follow-changes.ts';
import { useConnection } from '../browser/connection.ts';
import { endedAbruptly } from '../browser/ended-abruptly.ts';
import { loadConversation } from '../features/chat/chat-page.tsx';
import { startNav, useNav } from '../navigation/nav.ts';
import { loadTranslations } from '../text/error-text.ts';
import { createCore } from './core-services.ts';
import { whereItWas } from './where-it-was.ts';
import { createQueries, draw } from './window.tsx';

const patienceMs = 1000;

/** Starts the app over a link to the core and renders it. */
export async function openWindow(element: HTMLElement, link: CoreLink): Promise<void> {
  useConnection.setState({ endedAbruptly: endedAbruptly() });
  const core = createCore(link);
  const queries = createQueries();
  if (location.hash === '') history.replaceState(history.state, '', await whereItWas(core.api));
  startNav();
  void followChanges(core.api, queries, new AbortController().signal);
  // Without translations, errors are in English.
  const translated = loadTranslations().catch(() => {});
  await Promise.race([chatLoaded(), new Promise((late) => setTimeout(late, patienceMs))]);
  await translated;
  draw(element, core, queries);
}

/**
 * Loads the chat’s code before the first render. Once React has shown a Suspense fallback, it keeps that for at least
 * 300 ms.
 */
async function chatLoaded(): Promise<void> {
  const { loc } = useNav.getState();
  // The view repeats and reports a failed load.
  if (loc.page === 'chat' && loc.conversationId !== null) await loadConversation().catch(() => {});
}
