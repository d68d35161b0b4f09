import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Canary {
  readonly origin: string;
  /**
   * Returns what reached the server: the paths of requests, and the number of connections, even
   * those that sent no request.
   */
  received(): { paths: string[]; connections: number };
  close(): Promise<void>;
}

/** Opens a server that nothing should ever reach. */
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
    received: () => ({ paths: [...paths], connections }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
