import type { CoreLink } from '../lib/api.ts';
import { followChanges } from '../lib/changes.ts';
import { startNav } from '../lib/nav.ts';
import { createCore } from './core.ts';
import { createQueries, draw } from './window.tsx';

/** Everything between a way to the core and a window on screen. */
export function openWindow(element: HTMLElement, link: CoreLink): void {
  const core = createCore(link);
  const queries = createQueries();
  startNav();
  void followChanges(core.api, queries, new AbortController().signal);
  draw(element, core, queries);
}
