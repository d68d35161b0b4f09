import type { CoreLink } from '../api/api.ts';
import { followChanges } from '../api/follow-changes.ts';
import { useConnection } from '../browser/connection.ts';
import { endedUnsaid } from '../browser/ended-unsaid.ts';
import { startNav } from '../navigation/nav.ts';
import { createCore } from './core-services.ts';
import { whereItWas } from './where-it-was.ts';
import { createQueries, draw } from './window.tsx';

/** Everything between a way to the core and a window on screen. */
export async function openWindow(element: HTMLElement, link: CoreLink): Promise<void> {
  useConnection.setState({ endedUnsaid: endedUnsaid() });
  const core = createCore(link);
  const queries = createQueries();
  if (location.hash === '') history.replaceState(history.state, '', await whereItWas(core.api));
  startNav();
  void followChanges(core.api, queries, new AbortController().signal);
  draw(element, core, queries);
}
