import type { MenuItemConstructorOptions } from 'electron';
import { expect, test } from 'vitest';
import type { ActionId } from '#shared/actions/action-list.ts';
import { type MenuOptions, menuTemplate } from './menu-template.ts';

const template = (change: Partial<MenuOptions> = {}) =>
  menuTemplate({ platform: 'linux', packaged: true, language: 'en', shortcuts: {}, run: () => {}, ...change });

type Item = MenuItemConstructorOptions;

/**
 * Returns the labels of all items below these, without separators. An item whose label Electron would choose itself has
 * none here.
 */
const labels = (items: readonly Item[]): string[] =>
  items
    .filter(({ type }) => type !== 'separator')
    .flatMap(({ label, submenu }) => [label ?? '', ...(Array.isArray(submenu) ? labels(submenu) : [])]);

test.each(['linux', 'win32', 'darwin'] as const)('every menu item has a text from the catalogue: %s', (platform) => {
  const found = labels(template({ platform, packaged: false, language: 'en-XA' }));
  expect(found.length).toBeGreaterThan(20);
  expect(found.filter((label) => !/^⟦.+⟧$/.test(label))).toEqual(platform === 'darwin' ? ['Portico'] : []);
});

test('each system has the menus that are usual there', () => {
  const menus = (platform: NodeJS.Platform) => template({ platform }).map(({ label }) => label);
  expect(menus('linux')).toEqual(['File', 'Edit', 'Chat', 'Go', 'View', 'Window', 'Help']);
  expect(menus('darwin')).toEqual(['Portico', 'File', 'Edit', 'Chat', 'Go', 'View', 'Window', 'Help']);
});

test('developer tools are only in the menus of a program that is not packaged', () => {
  const has = (packaged: boolean) => JSON.stringify(template({ packaged })).includes('toggleDevTools');
  expect([has(false), has(true)]).toEqual([true, false]);
});

test('closing a window is an item of File on macOS and of Window on other systems', () => {
  const menuWith = (platform: NodeJS.Platform) =>
    template({ platform })
      .filter(({ submenu }) => Array.isArray(submenu) && submenu.some(({ role }) => role === 'close'))
      .map(({ label }) => label);
  expect(menuWith('darwin')).toEqual(['File']);
  expect(menuWith('win32')).toEqual(['Window']);
});

const itemIn = (items: readonly Item[], label: string): Item | undefined =>
  items
    .flatMap((item) => [item, ...(Array.isArray(item.submenu) ? item.submenu : [])])
    .find((item) => item.label === label);

test('a menu item runs its action in the page and shows the current shortcut', () => {
  const ran: ActionId[] = [];
  const run = (action: ActionId) => ran.push(action);
  const usual = itemIn(template({ run }), 'New chat');
  expect(usual).toMatchObject({ accelerator: 'CommandOrControl+N', registerAccelerator: false });
  const click = usual?.click as (() => void) | undefined;
  click?.();
  expect(ran).toEqual(['newChat']);
  const changed = template({ shortcuts: { newChat: ['mod+Shift+J'], find: [], renameChat: ['F2'], gone: ['mod+K'] } });
  expect(itemIn(changed, 'New chat')?.accelerator).toBe('CommandOrControl+Shift+J');
  expect(itemIn(changed, 'Find in this chat')?.accelerator).toBe(undefined);
  expect(itemIn(changed, 'Rename chat')?.accelerator).toBe('F2');
  expect(itemIn(changed, 'Larger')?.accelerator).toBe('CommandOrControl+=');
  // Only shortcuts with a modifier are shown: macOS would take other keys away from text fields.
  expect(itemIn(changed, 'Next chat in the list')?.accelerator).toBe(undefined);
});
