import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '#shared/errors.ts';
import type { MetricsAddress } from './serve-settings.ts';

const loopback = new Set(['127.0.0.1', 'localhost', '::1', '[::1]']);

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** `GET /metrics` on an address of its own, which is never the public one. Throws `port_unavailable`. */
export async function serveMetrics(address: MetricsAddress, text: () => string): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const status = statusFor(request, address);
    const body = status === 200 ? text() : '';
    const type = 'text/plain; version=0.0.4; charset=utf-8';
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', connection: 'close' }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(unavailable(address, cause)));
    server.listen(address.port, address.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function statusFor(request: IncomingMessage, { host, token }: MetricsAddress): number {
  // A page in the operator's browser can reach this machine under a name of its own.
  const name = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  if (loopback.has(host) && !loopback.has(name)) return 403;
  if (token !== null && !isEqual(request.headers.authorization ?? '', `Bearer ${token.reveal()}`)) return 401;
  if (request.url?.split('?')[0] !== '/metrics') return 404;
  return request.method === 'GET' ? 200 : 405;
}

function isEqual(given: string, wanted: string): boolean {
  const [one, two] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === two.length && timingSafeEqual(one, two);
}

function unavailable({ host, port }: MetricsAddress, cause: Error): AppError {
  return new AppError('port_unavailable', `Metrics cannot be served on ${host}:${port}: ${cause.message}.`, { cause });
}
