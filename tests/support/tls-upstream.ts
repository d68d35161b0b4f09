import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const openssl = promisify(execFile);

/** Opens an HTTPS server for `name` whose certificate comes from an authority that nobody trusts. */
export async function openTlsUpstream(name: string, answer: RequestListener) {
  const folder = await mkdtemp(join(tmpdir(), 'portico-tls-'));
  const file = (short: string) => join(folder, short);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '2'];
  const authority = ['-subj', '/CN=Office firewall', '-keyout', file('ca.key'), '-out', file('ca.pem')];
  await openssl('openssl', ['req', '-x509', ...key, ...authority]);
  const signed = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-addext', `subjectAltName=DNS:${name}`];
  const own = ['-subj', `/CN=${name}`, '-keyout', file('key'), '-out', file('pem')];
  await openssl('openssl', ['req', '-x509', ...key, ...signed, '-addext', 'basicConstraints=CA:FALSE', ...own]);
  const [cert, secret, ca] = await Promise.all(['pem', 'key', 'ca.pem'].map((short) => readFile(file(short), 'utf8')));
  await rm(folder, { recursive: true });
  const server = createServer({ cert, key: secret }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `https://${name}:${port}`,
    port,
    /** The authority's certificate, in PEM. */
    authority: ca ?? '',
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
