import { spawn } from 'node:child_process';
import type { SafeUrl } from '#core/runtime/host/link-guard.ts';
import { refusal } from '#shared/language/refusals.ts';

const openedAfterMs = 3000;

/** Returns the platform's command for opening a URL. The URL is passed as an argument, never through a shell. */
function opener(platform: NodeJS.Platform): { command: string; args: readonly string[] } {
  if (platform === 'darwin') return { command: 'open', args: [] };
  if (platform === 'win32') return { command: 'rundll32', args: ['url.dll,FileProtocolHandler'] };
  return { command: 'xdg-open', args: [] };
}

/** Opens a URL in the user's browser. Rejects with `link_refused` if that isn't possible. */
export function openExternal(address: SafeUrl | LaunchFile, platform: NodeJS.Platform): Promise<void> {
  const { command, args } = opener(platform);
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
    child.unref();
    const failed = (cause: unknown) => reject(refusal('link_refused', 'noBrowser', { cause }));
    child.once('error', failed);
    child.once('exit', (code) => (code === 0 ? resolve() : failed(code)));
    // Some openers run until the browser is closed. If there was no failure by now, the browser is open.
    setTimeout(resolve, openedAfterMs).unref();
  });
}

/** One of our files that redirects the browser to the page. */
export type LaunchFile = string & { readonly launchFile: unique symbol };
