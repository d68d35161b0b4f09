import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Canary {
  readonly origin: string;
  /** What reached it: requests by their path, and how often somebody connected, even to ask nothing. */
  heard(): { paths: string[]; connections: number };
  close(): Promise<void>;
}

/** A server that nothing should ever reach. */
export async function openCanary(): Promise<Canary> {
  const paths: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    response.end();
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard: () => ({ paths: [...paths], connections }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
