import { expect, test } from 'vitest';
import { overlayColours, titleBarFor, titleBarOptions } from './title-bar.ts';

test('each system has the title bar that it supports', () => {
  expect(titleBarFor('darwin', false)).toBe('inset');
  expect([titleBarFor('win32', true), titleBarFor('linux', true)]).toEqual(['overlay', 'overlay']);
  expect(titleBarFor('linux', false)).toBe('system');
});

test('a window without the page’s own title bar keeps the system’s title bar with its menus', () => {
  expect(titleBarOptions('system', false)).toEqual({ autoHideMenuBar: true });
  expect(titleBarOptions('inset', false)).toEqual({
    titleBarStyle: 'hidden',
    trafficLightPosition: { x: 16, y: 14 },
  });
  expect(titleBarOptions('overlay', true)).toEqual({ titleBarStyle: 'hidden', titleBarOverlay: overlayColours(true) });
  expect(overlayColours(true).symbolColor).not.toBe(overlayColours(false).symbolColor);
});
