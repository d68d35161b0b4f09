import { join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the platform's default data folder. */
export function defaultDataFolder(platform: NodeJS.Platform, env: Env, home: string): string {
  if (platform === 'win32') return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'Portico');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Portico');
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'portico');
}

/** Returns the folder of `--data-dir DIR` or `--data-dir=DIR`. Other flags are ignored. */
export function dataDirFlag(args: readonly string[]): string | null {
  const index = args.findIndex((arg) => arg === '--data-dir' || arg.startsWith('--data-dir='));
  const [flag, next] = index < 0 ? [] : args.slice(index);
  return (flag?.includes('=') ? flag.slice('--data-dir='.length) : next) || null;
}
