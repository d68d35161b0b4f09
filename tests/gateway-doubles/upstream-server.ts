import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTick } from 'node:timers/promises';

export interface UpstreamCallSeen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
  /** Resolves when either side closes the connection of this call. */
  readonly closed: Promise<void>;
}

export type Reply = (call: UpstreamCallSeen, response: ServerResponse) => Promise<void> | void;

/**
 * Longer than any test blocks this process. Otherwise a connection could be reused just when the
 * server is about to close it.
 */
const keepAliveTimeout = 60_000;

/** Opens a provider's server on loopback that gives the chosen reply and remembers its calls. */
export async function openUpstream(reply: Reply) {
  const calls: UpstreamCallSeen[] = [];
  let answer = reply;
  const server = createServer({ keepAliveTimeout }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    const call: UpstreamCallSeen = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: text ? JSON.parse(text) : {},
      closed: new Promise((resolve) => response.once('close', () => resolve())),
    };
    calls.push(call);
    await answer(call, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    calls,
    replyWith(next: Reply) {
      answer = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Upstream = Awaited<ReturnType<typeof openUpstream>>;

/** Sends a complete stream in the pieces that `split` makes of it. */
export const streamReply =
  (text: string, split: (bytes: Buffer) => readonly Buffer[] = (bytes) => [bytes]): Reply =>
  async (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of split(Buffer.from(text))) {
      response.write(piece);
      await nextTick();
    }
    response.end();
  };

/** Sends the beginning of a stream and then nothing until the other side hangs up. */
export const hangingReply =
  (text: string): Reply =>
  (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text || ': waiting\n\n');
  };

/** Sends the beginning of a stream and breaks the connection. */
export const brokenReply =
  (text: string): Reply =>
  async (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text);
    await nextTick();
    response.destroy();
  };

export const errorReply =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (_call, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

export const eachByte = (bytes: Buffer): Buffer[] => [...bytes].map((byte) => Buffer.from([byte]));
