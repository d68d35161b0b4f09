import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** What a plain socket does once a complete request has arrived. */
export type Play = (socket: Socket) => void;

/**
 * Opens a provider made of a plain socket that sends exactly the given bytes, for answers that
 * no HTTP server would send.
 */
export async function openRawAnswers() {
  const sockets = new Set<Socket>();
  let play: Play = (socket) => void socket.end();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let request = '';
    socket.on('data', (bytes) => {
      request += bytes.toString('latin1');
      if (!isComplete(request)) return;
      request = '';
      play(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    playing(next: Play) {
      play = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function isComplete(request: string): boolean {
  const end = request.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(request)?.[1] ?? 0);
  return end >= 0 && request.length >= end + 4 + length;
}

/**
 * The head of an answer that ends when the connection ends, so only the stream's own content
 * shows whether it's complete.
 */
export const openEndedHead = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n';
const chunkedHead = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

/** Sends these bytes and closes the connection normally. */
export const sendAndEnd =
  (body: Buffer): Play =>
  (socket) =>
    void socket.end(Buffer.concat([Buffer.from(openEndedHead), body]));

/** Sends these bytes and resets the connection. */
export const sendAndReset =
  (body: Buffer): Play =>
  (socket) =>
    void socket.write(Buffer.concat([Buffer.from(openEndedHead), body]), () => socket.resetAndDestroy());

/** Sends these bytes and then nothing more. */
export const sendAndWait =
  (body: Buffer): Play =>
  (socket) =>
    void socket.write(Buffer.concat([Buffer.from(openEndedHead), body]));

/** Sends each byte in an HTTP chunk of its own. */
export const sendByteByByte =
  (body: Buffer): Play =>
  (socket) => {
    const chunks = [...body].map((byte) =>
      Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]),
    );
    socket.end(Buffer.concat([Buffer.from(chunkedHead), ...chunks, Buffer.from('0\r\n\r\n')]));
  };
