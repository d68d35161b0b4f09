import { createServer as createHttp, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from 'node:net';

export interface TestProxy {
  /** The proxy's address, with user and password if it requires them. */
  readonly url: string;
  /** `host:port` of every connection that it made. */
  readonly reached: string[];
  close(): Promise<void>;
}

interface ProxyOptions {
  /** The user that the proxy requires. Without one, everybody may use it. */
  readonly user?: string;
  readonly password?: string;
  /** Host names that only this proxy knows, each with its real address. */
  readonly hosts?: Readonly<Record<string, string>>;
}

/** Names that only a company's proxy can resolve lead to this machine. */
const target = (host: string, hosts: ProxyOptions['hosts']) => hosts?.[host] ?? host;

/** An HTTP proxy. It opens tunnels for CONNECT and forwards requests in absolute form. */
export async function openHttpProxy({ user, password, hosts }: ProxyOptions = {}): Promise<TestProxy> {
  const reached: string[] = [];
  const wanted = user === undefined ? null : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const mayPass = ({ headers }: IncomingMessage) => wanted === null || headers['proxy-authorization'] === wanted;

  const server = createHttp((incoming, response) => {
    if (!mayPass(incoming)) return void response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
    const { hostname, port, host, pathname, search } = new URL(incoming.url ?? '');
    reached.push(host);
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const to = { host: target(hostname, hosts), port: port || 80, path: `${pathname}${search}` };
    const outgoing = request({ ...to, method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.writeHead(502).end());
    incoming.pipe(outgoing);
  });
  server.on('connect', (incoming, client: Socket) => {
    client.on('error', () => {});
    if (!mayPass(incoming)) return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    reached.push(incoming.url ?? '');
    const [host = '', port] = (incoming.url ?? '').split(':');
    const upstream = connect(Number(port), target(host, hosts), () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    client.once('close', () => upstream.destroy());
  });
  return served(server, 'http', { user, password }, reached);
}

/** A SOCKS5 proxy (RFC 1928), with user and password (RFC 1929) if it requires them. It resolves names itself. */
export async function openSocksProxy({ user, password, hosts }: ProxyOptions = {}): Promise<TestProxy> {
  const reached: string[] = [];
  const server = createTcp((client) => {
    client.on('error', () => {});
    void greet(client).catch(() => client.destroy());
  });

  async function greet(client: Socket): Promise<void> {
    const read = reader(client);
    const [, methods = 0] = await read(2);
    await read(methods);
    client.write(Buffer.from([5, user === undefined ? 0 : 2]));
    if (user !== undefined) {
      const given = [];
      for (let field = 0; field < 2; field += 1) {
        if (field === 0) await read(1);
        const [length = 0] = await read(1);
        given.push((await read(length)).toString());
      }
      const right = given[0] === user && given[1] === password;
      client.write(Buffer.from([1, right ? 0 : 1]));
      if (!right) return void client.end();
    }
    const [, , , kind] = await read(4);
    const length = kind === 1 ? 4 : kind === 4 ? 16 : ((await read(1))[0] ?? 0);
    const address = await read(length);
    const host = kind === 3 ? address.toString() : [...address].join('.');
    const port = (await read(2)).readUInt16BE();
    reached.push(`${host}:${port}`);
    const upstream = connect(port, target(host, hosts), () => {
      client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])));
    client.once('close', () => upstream.destroy());
  }
  return served(server, 'socks5', { user, password }, reached);
}

/** Reads exactly this many bytes and leaves the rest in the socket. */
function reader(socket: Socket) {
  return async (count: number): Promise<Buffer> => {
    for (;;) {
      const bytes: Buffer | null = count === 0 ? Buffer.alloc(0) : socket.read(count);
      if (bytes) return bytes;
      if (socket.readableEnded || socket.destroyed) throw new Error('the client left');
      await new Promise((resolve) => socket.once('readable', resolve).once('close', resolve));
    }
  };
}

async function served(
  server: Server,
  scheme: string,
  { user, password }: { readonly user: string | undefined; readonly password: string | undefined },
  reached: string[],
): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const who = user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`;
  return {
    url: `${scheme}://${who}127.0.0.1:${port}`,
    reached,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
