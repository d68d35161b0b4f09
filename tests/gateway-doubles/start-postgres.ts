import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { builtOnce } from '../support/built-once.ts';
import { freePort } from '../support/free-port.ts';

export interface TestPostgres {
  /** Of the server itself, which starts all its others. */
  processId(): number;
  /** An empty database's URL. */
  createDatabase(): Promise<string>;
  /** Stops it as a crash does: nothing is flushed, every connection breaks. */
  crash(): Promise<void>;
  /** Starts it again where it was; resolves when it has recovered. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The folder of PostgreSQL's programs, or null where it is not installed: tests that need it are then skipped. */
export function postgresPrograms(): string | null {
  const packaged = '/usr/lib/postgresql';
  // Elsewhere such a folder is not that of this system's programs: wine shows one of Linux to Windows' Node.
  const isPackaged = process.platform === 'linux' && existsSync(packaged);
  const versions = isPackaged ? readdirSync(packaged).map((version) => join(packaged, version, 'bin')) : [];
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...versions];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))) ?? null;
}

/**
 * A throw-away server on 127.0.0.1. It refuses to run as root, so that it then runs as the user `postgres`. Tests do not
 * wait for the disk; with `synced` a commit is on it, as in production.
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

/** A folder in which that user may write. */
function getFolder({ uid, gid }: User): string {
  const directory = mkdtempSync(join(tmpdir(), 'portico-postgres-'));
  if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid);
  return directory;
}

/** The files of a server that has never run, which are made once: that takes ten times as long as to copy them. */
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
    // A crash breaks it while nobody waits for an answer.
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
