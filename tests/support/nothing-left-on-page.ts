import { afterAll, beforeEach, expect, vi } from 'vitest';
import { page } from 'vitest/browser';
import { cleanup } from 'vitest-browser-react';

/**
 * Files that share a page find it as the first one did: one that leaves elements, a theme or another function of the browser behind
 * fails by itself, and not the file that comes next.
 */
const before = surroundings();

// The library does so by itself for the first file alone, the one for which it is loaded.
beforeEach(cleanup);

afterAll(async () => {
  await cleanup();
  await page.viewport(1280, 800);
  localStorage.clear();
  sessionStorage.clear();
  const after = surroundings();
  vi.useRealTimers();
  vi.restoreAllMocks();
  expect(after).toEqual(before);
});

function surroundings() {
  const { fetch, setTimeout } = window;
  // The frame that draws diagrams is one for all that the page ever draws.
  const left = [...document.body.children].filter((element) => !element.matches('.diagram-frame'));
  const { theme } = document.documentElement.dataset;
  return { left: left.map((element) => element.outerHTML), theme, fakeTimers: vi.isFakeTimers(), fetch, setTimeout };
}
