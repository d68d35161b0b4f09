import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** A real Secret Service for one test: a session bus of its own, with gnome-keyring on it. */
export interface SecretService {
  /** The environment in which a program reaches it. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Returns the number of items under the service name Portico, read over D-Bus and not through the app's own library.
   */
  countItems(): Promise<number>;
  /** Stops the service from answering, so whoever calls it waits. */
  hang(): void;
  stop(): Promise<void>;
}

/**
 * Starts the service with its files in `folder`; a later start on the same folder finds the same items. With `locked`,
 * the keyring is locked and nobody is there to unlock it.
 */
export async function startSecretService(folder: string, { locked = false } = {}): Promise<SecretService> {
  const runtime = join(folder, 'run');
  await mkdir(runtime, { recursive: true, mode: 0o700 });
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [address] = (await once(createInterface(bus.stdout), 'line')) as [string];
  const env = {
    DBUS_SESSION_BUS_ADDRESS: address,
    XDG_RUNTIME_DIR: runtime,
    XDG_DATA_HOME: join(folder, 'share'),
  };
  const unlock = locked ? [] : ['--unlock'];
  const keyring = spawn('gnome-keyring-daemon', ['--foreground', ...unlock, '--components=secrets'], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  keyring.stdin.end('portico-tests');
  await ready(env);
  return {
    env,
    async countItems() {
      const found = await send(env, 'org.freedesktop.secrets', '/org/freedesktop/secrets', [
        'org.freedesktop.Secret.Service.SearchItems',
        'dict:string:string:service,Portico',
      ]);
      return found.match(/object path/g)?.length ?? 0;
    },
    hang: () => void keyring.kill('SIGSTOP'),
    async stop() {
      keyring.kill('SIGCONT');
      await end(keyring);
      await end(bus);
    },
  };
}

/**
 * Resolves once the service owns its name on the bus. Asking is harmless, because this bus starts
 * no services automatically.
 */
async function ready(env: Record<string, string>): Promise<void> {
  for (const deadline = Date.now() + 10_000; ; ) {
    const owned = await send(env, 'org.freedesktop.DBus', '/org/freedesktop/DBus', [
      'org.freedesktop.DBus.NameHasOwner',
      'string:org.freedesktop.secrets',
    ]);
    if (owned.includes('boolean true')) return;
    if (Date.now() > deadline) throw new Error('gnome-keyring did not start within 10 s');
  }
}

async function send(env: Record<string, string>, to: string, path: string, call: string[]): Promise<string> {
  const flags = ['--session', '--print-reply', `--dest=${to}`, path, ...call];
  return (await promisify(execFile)('dbus-send', flags, { env: { ...process.env, ...env } })).stdout;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
