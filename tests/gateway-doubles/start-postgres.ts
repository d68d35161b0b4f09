import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { builtOnce } from '../support/built-once.ts';
import { freePort } from '../support/free-port.ts';

export interface TestPostgres {
  /** Returns the id of the server's main process, which starts all its others. */
  processId(): number;
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Stops the server as a crash does: nothing is flushed, and every connection breaks. */
  crash(): Promise<void>;
  /** Starts the server again on the same port. Resolves when it has recovered. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Returns the folder of PostgreSQL's programs, or null if it isn't installed. Tests that need it are then skipped. */
export function postgresPrograms(): string | null {
  const packaged = '/usr/lib/postgresql';
  // On another system this folder doesn't contain programs that can run: wine shows Linux's folder to Node for Windows.
  const isPackaged = process.platform === 'linux' && existsSync(packaged);
  const versions = isPackaged ? readdirSync(packaged).map((version) => join(packaged, version, 'bin')) : [];
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...versions];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))) ?? null;
}

/**
 * Starts a temporary server on 127.0.0.1. PostgreSQL refuses to run as root, so as root it runs as the user `postgres`.
 * Tests don't wait for the disk; with `synced` a commit is on the disk, as in production.
 */
export async function startPostgres(programs: string, { synced = false } = {}): Promise<TestPostgres> {
  const user: User = process.getuid?.() === 0 ? { uid: getId('-u'), gid: getId('-g') } : {};
  const directory = getFolder(user);
  const data = join(directory, 'data');
  const settings = { ...user, cwd: directory, stdio: 'ignore' as const };
  execFileSync('cp', ['-a', join(await emptyServer(programs, user), 'data'), data]);
  const port = await freePort();
  const options = ['-D', data, '-k', directory, '-h', '127.0.0.1', '-p', String(port), ...(synced ? [] : ['-F'])];
  const start = () => spawn(join(programs, 'postgres'), options, settings);
  const url = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`;
  let server = start();
  let admin = await connected(url('postgres'));
  let count = 0;
  return {
    processId: () => server.pid ?? 0,
    async createDatabase() {
      count += 1;
      await admin.query(`CREATE DATABASE books_${count}`);
      return url(`books_${count}`);
    },
    async crash() {
      const ended = once(server, 'exit');
      execFileSync(join(programs, 'pg_ctl'), ['stop', '-D', data, '-m', 'immediate', '-W'], settings);
      await ended;
    },
    async restart() {
      server = start();
      admin = await connected(url('postgres'));
    },
    async stop() {
      await admin.end();
      server.kill('SIGINT');
      await once(server, 'exit');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** Makes a folder in which that user may write. */
function getFolder({ uid, gid }: User): string {
  const directory = mkdtempSync(join(tmpdir(), 'portico-postgres-'));
  if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid);
  return directory;
}

/**
 * Returns the files of a server that has never run. They are made once, because that takes ten
 * times as long as copying them.
 */
function emptyServer(programs: string, user: User): Promise<string> {
  const initdb = join(programs, 'initdb');
  const name = `postgres-${user.uid ?? 'own'}-${Math.floor(statSync(initdb).mtimeMs)}`;
  return builtOnce(name, [], async (folder) => {
    const directory = getFolder(user);
    const data = join(directory, 'data');
    const settings = { ...user, cwd: directory, stdio: 'ignore' as const };
    execFileSync(initdb, ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'], settings);
    execFileSync('cp', ['-a', data, folder]);
    rmSync(directory, { recursive: true });
  });
}

const getId = (flag: '-u' | '-g') => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

async function connected(url: string): Promise<pg.Client> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    // A crash breaks an idle connection, too, which emits an error that nobody waits for.
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
