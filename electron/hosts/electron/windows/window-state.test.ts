import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { visibleBounds, windowState } from './window-state.ts';

const folder = mkdtempSync(join(tmpdir(), 'portico-window-'));
afterAll(() => rmSync(folder, { recursive: true }));
const screen = { x: 0, y: 0, width: 1920, height: 1080 };
const bounds = { x: 100, y: 100, width: 1000, height: 700 };

test('a window opens where it was, unless it would be out of reach there', () => {
  expect(visibleBounds(bounds, [screen])).toEqual(bounds);
  expect(visibleBounds({ ...bounds, x: 4000 }, [screen])).toBeNull();
  expect(visibleBounds({ ...bounds, y: -600 }, [screen])).toBeNull();
  expect(visibleBounds({ ...bounds, x: 2000 }, [screen, { ...screen, x: 1920 }])).not.toBeNull();
  expect(visibleBounds(null, [screen])).toBeNull();
});

test('an invalid state is ignored', () => {
  windowState(folder).set({ bounds, theme: 'dark' });
  expect(windowState(folder).get()).toEqual({
    bounds,
    maximized: false,
    fullScreen: false,
    theme: 'dark',
    language: 'en',
    shortcuts: {},
  });
  writeFileSync(join(folder, 'window.json'), '{"bounds":{"x":"1"}}');
  expect(windowState(folder).get()).toEqual({
    bounds: null,
    maximized: false,
    fullScreen: false,
    theme: 'system',
    language: 'en',
    shortcuts: {},
  });
});
