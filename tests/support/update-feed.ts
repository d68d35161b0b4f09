import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';

export interface Release {
  readonly version: string;
  readonly file: string;
  /** The address of the file in the feed. */
  readonly url?: string;
  readonly sha512?: string;
  readonly notes?: string;
  /** Signs the feed with another key, as someone would who controls the server but doesn't have the key. */
  readonly forged?: boolean;
}

const keys = generateKeyPairSync('ed25519');
/** The public key that an app's build must contain to trust this feed. */
export const feedKey = keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

/** Serves the files that the builder writes next to packages. */
export async function startUpdateFeed(port: number) {
  let release: Release | null = null;
  const asked: { path: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://feed').pathname;
    asked.push({ path, headers: request.headers });
    if (!release) return void response.writeHead(404).end();
    if (path === '/latest-linux.yml') return void response.end(getFeed(release));
    if (path === '/latest-linux.yml.sig') return void response.end(getSignature(release));
    if (path === '/elsewhere.AppImage')
      return void response.writeHead(302, { location: 'http://portico.invalid/new.AppImage' }).end();
    response.end(readFileSync(release.file));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    asked,
    offer(next: Release | null): void {
      release = next;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function getSignature(release: Release): string {
  const key = release.forged ? generateKeyPairSync('ed25519').privateKey : keys.privateKey;
  return sign(null, Buffer.from(getFeed(release)), key).toString('base64');
}

/** The feed format is YAML, and JSON is valid YAML. */
function getFeed({ version, file, url = 'new.AppImage', sha512, notes }: Release): string {
  const hash = sha512 ?? createHash('sha512').update(readFileSync(file)).digest('base64');
  const files = [{ url, sha512: hash, size: statSync(file).size }];
  return JSON.stringify({ version, files, path: url, sha512: hash, releaseNotes: notes, releaseDate: '2026-11-24' });
}
