import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The server's message after a commit, and the result row that reports the commit of a group of ledger commands. */
const committed = Buffer.from('C\0\0\0\x0bCOMMIT\0', 'latin1');
const committedGroup = '"committed" : true';

const getType = (message: Buffer) => String.fromCharCode(message[0] ?? 0);
const isCommit = (message: Buffer) =>
  message.equals(committed) || (getType(message) === 'D' && message.includes(committedGroup));
/** The server is ready for the next statement, so everything before it is committed. */
const isReady = (message: Buffer) => getType(message) === 'Z';

/**
 * Stands in front of a PostgreSQL server and loses acknowledgements: it waits until the server has committed a chosen
 * transaction, then closes the connection instead of forwarding the answer.
 */
export async function openLossyPostgres(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let passing = -1;
  let lost = 0;
  let roundTrips = 0;
  const counts: { readonly words: string; asked: number }[] = [];

  /** Returns whether this acknowledgement is the one to lose. */
  function loses(): boolean {
    if (passing < 0) return false;
    passing -= 1;
    if (passing >= 0) return false;
    lost += 1;
    return true;
  }

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let unread = Buffer.alloc(0);
    let losing = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (bytes: Buffer) => {
      for (const count of counts) if (bytes.includes(count.words)) count.asked += 1;
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      unread = Buffer.concat([unread, bytes]);
      for (let message = nextMessage(unread); message; message = nextMessage(unread)) {
        unread = unread.subarray(message.length);
        if (isReady(message)) roundTrips += 1;
        losing ||= isCommit(message) && loses();
        if (!losing) client.write(message);
        else if (isReady(message)) return void client.destroy();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    /** Loses one acknowledgement after this many have passed. */
    loseAfter(count: number) {
      passing = count;
    },
    lost: () => lost,
    /** The number of times the server answered and became ready for the next statement. */
    roundTrips: () => roundTrips,
    /** Counts the data packets sent to the server from now on that contain these words. */
    count(words: string) {
      const count = { words, asked: 0 };
      counts.push(count);
      return () => count.asked;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns the first complete message, if there is one: a type byte, a length that includes itself, and the content. */
function nextMessage(bytes: Buffer): Buffer | null {
  if (bytes.length < 5) return null;
  const length = 1 + bytes.readUInt32BE(1);
  return bytes.length < length ? null : bytes.subarray(0, length);
}
