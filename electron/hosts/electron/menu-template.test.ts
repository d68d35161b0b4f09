import type { MenuItemConstructorOptions } from 'electron';
import { expect, test } from 'vitest';
import { mainText } from './main-text.ts';
import { menuTemplate } from './menu-template.ts';

type Item = MenuItemConstructorOptions;

/** Every item below these, without lines; what a role would be called by Electron itself is called nothing here. */
const labels = (items: readonly Item[]): string[] =>
  items
    .filter(({ type }) => type !== 'separator')
    .flatMap(({ label, submenu }) => [label ?? '', ...(Array.isArray(submenu) ? labels(submenu) : [])]);

test.each(['linux', 'win32', 'darwin'] as const)(
  'every item of the menus has words of the catalogue: %s',
  (platform) => {
    const found = labels(menuTemplate(platform, false, mainText('en-XA')));
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter((label) => !/^⟦.+⟧$/.test(label))).toEqual(platform === 'darwin' ? ['Portico'] : []);
  },
);

test('each system has the menus that its programs have', () => {
  const menus = (platform: NodeJS.Platform) => menuTemplate(platform, true, mainText('en')).map(({ label }) => label);
  expect(menus('linux')).toEqual(['File', 'Edit', 'View', 'Window', 'Help']);
  expect(menus('darwin')).toEqual(['Portico', 'Edit', 'View', 'Window', 'Help']);
});

test('the tools of developers are in the menus of a program that is not packaged only', () => {
  const has = (packaged: boolean) =>
    JSON.stringify(menuTemplate('linux', packaged, mainText('en'))).includes('toggleDevTools');
  expect([has(false), has(true)]).toEqual([true, false]);
});
