/**
 * The switches that the installed app accepts: its own, and those that a display or a language needs. Chromium has
 * about a thousand others. Some give the page, its chats and the main process to whoever connects
 * (`--remote-debugging-port`, `--inspect`), load foreign code or disable protections.
 */
const taken = new Set([
  'data-dir',
  'disable-gpu',
  'enable-wayland-ime',
  'force-device-scale-factor',
  // The help pages of screen readers recommend it.
  'force-renderer-accessibility',
  'lang',
  'ozone-platform',
  'ozone-platform-hint',
]);

export interface Launch {
  /** The arguments after the program's name. */
  readonly args: readonly string[];
  readonly platform: NodeJS.Platform;
  /** Chromium's sandbox can't work here: for root, and in an AppImage whose launcher found no user namespaces. */
  readonly withoutSandbox: boolean;
}

/** Returns the first switch that the installed app refuses, parsed as Chromium does. Null if there is none. */
export function refusedSwitch({ args, platform, withoutSandbox }: Launch): string | null {
  const end = args.indexOf('--');
  for (const arg of end < 0 ? args : args.slice(0, end)) {
    const name = switchName(arg, platform);
    if (name === null || taken.has(name)) continue;
    if (name === 'no-sandbox' && platform === 'linux' && withoutSandbox) continue;
    // The installer passes it when it starts the new version after an update.
    if (platform === 'win32' && name === 'updated') continue;
    // Older versions of macOS add a process number when an app is opened from Finder.
    if (platform === 'darwin' && name.startsWith('psn_')) continue;
    return name;
  }
  return null;
}

/** Returns the name of a switch. Chromium accepts one dash for two and, on Windows, a slash and any case as well. */
function switchName(arg: string, platform: NodeJS.Platform): string | null {
  const prefix = platform === 'win32' ? /^\s*(?:--?|\/)([^=]*)/ : /^\s*--?([^=]*)/;
  return prefix.exec(arg)?.[1]?.trim().toLowerCase() || null;
}
