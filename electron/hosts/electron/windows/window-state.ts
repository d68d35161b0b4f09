import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rectangle } from 'electron';
import { z } from 'zod';
import { settings } from '#shared/contract/app/settings.ts';

const schema = z.object({
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int().min(400), height: z.int().min(300) }).nullable(),
  maximized: z.boolean(),
  fullScreen: z.boolean().default(false),
  ...settings.pick({ theme: true }).shape,
  language: settings.shape.language.default('en'),
  shortcuts: settings.shape.shortcuts.default({}),
});

export type WindowState = z.infer<typeof schema>;

/**
 * The position of the window, and the settings that it and its menus need. They are in a separate file, because it is
 * read before the core opens. Losing it is harmless.
 */
export function windowState(dataFolder: string) {
  const file = join(dataFolder, 'window.json');
  let current = read(file);
  return {
    get: (): WindowState => current,
    set(change: Partial<WindowState>): void {
      current = { ...current, ...change };
      try {
        writeFileSync(file, JSON.stringify(current), { mode: 0o600 });
      } catch {
        // The window then opens at its default position.
      }
    },
  };
}

export type WindowStateFile = ReturnType<typeof windowState>;

function read(file: string): WindowState {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { bounds: null, maximized: false, fullScreen: false, theme: 'system', language: 'en', shortcuts: {} };
  }
}

/** Returns the saved position, unless its screen is gone. */
export function visibleBounds(bounds: Rectangle | null, screens: readonly Rectangle[]): Rectangle | null {
  const reachable = screens.some(
    (screen) =>
      bounds !== null &&
      bounds.x < screen.x + screen.width - 80 &&
      bounds.x + bounds.width > screen.x + 80 &&
      bounds.y >= screen.y - 20 &&
      bounds.y < screen.y + screen.height - 40,
  );
  return reachable ? bounds : null;
}
