import type { CoreLink } from '../lib/api.ts';
import { followChanges } from '../lib/changes.ts';
import { startNav } from '../lib/nav.ts';
import { createCore } from './core.ts';
import { whereItWas } from './where-it-was.ts';
import { createQueries, draw } from './window.tsx';

/** Everything between a way to the core and a window on screen. */
export async function openWindow(element: HTMLElement, link: CoreLink): Promise<void> {
  const core = createCore(link);
  const queries = createQueries();
  if (location.hash === '') history.replaceState(history.state, '', await whereItWas(core.api));
  startNav();
  void followChanges(core.api, queries, new AbortController().signal);
  draw(element, core, queries);
}
