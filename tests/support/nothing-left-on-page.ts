import { afterAll, beforeEach, expect, vi } from 'vitest';
import { page } from 'vitest/browser';
import { cleanup } from 'vitest-browser-react';

/**
 * Test files share a page. A file that leaves elements, a theme or a replaced browser function behind must fail itself,
 * instead of the file that comes next.
 */
const before = surroundings();

// The library registers its own cleanup for the first file only.
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
  // All diagrams of the page are drawn in the same frame, which stays for the page's lifetime.
  const leftOver = [...document.body.children].filter((element) => !element.matches('.diagram-frame'));
  const { theme } = document.documentElement.dataset;
  return {
    left: leftOver.map((element) => element.outerHTML),
    theme,
    fakeTimers: vi.isFakeTimers(),
    fetch,
    setTimeout,
  };
}
