import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One request as a client sees it, in milliseconds from the moment it was due. */
export interface Sample {
  readonly firstByteMs: number;
  readonly totalMs: number;
  /** Of the body, its framing included. */
  readonly bytes: number;
  /** Answered with 200 and to its end, a stream's `[DONE]` included. */
  readonly complete: boolean;
  /** 0 where the connection ended first. */
  readonly status: number;
}

/** What the load is put on. */
export interface Target {
  /** One for each instance; connections take them in turn. */
  readonly ports: readonly number[];
  /** Taken in turn: limits are per key, and are not what is measured. */
  readonly keys: readonly string[];
  /** The name of the model by which this gateway reaches the upstream. */
  readonly model: string;
  /** Header lines that this gateway wants besides the usual ones. */
  readonly headers?: readonly string[];
}

const endOfHead = Buffer.from('\r\n\r\n');
const endOfChunks = '\r\n0\r\n\r\n';
const tailLength = 64;

export async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/** The same request as bytes, once for each key. */
export function requestsFor(target: Target, content: string, stream: boolean): Buffer[] {
  const body = Buffer.from(JSON.stringify({ model: target.model, messages: [{ role: 'user', content }], stream }));
  return target.keys.map((key) => {
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      'host: 127.0.0.1',
      `authorization: Bearer ${key}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
      ...(target.headers ?? []),
    ];
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
  });
}

interface Head {
  readonly status: number;
  readonly length: number | null;
  readonly streamed: boolean;
  readonly closes: boolean;
}

function readHead(text: string): Head {
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  return {
    status: Number(text.slice(9, 12)),
    length: length === undefined ? null : Number(length),
    streamed: /\r\ncontent-type: *text\/event-stream/i.test(text),
    closes: /\r\nconnection: *close/i.test(text),
  };
}

/**
 * One request and its answer. It speaks to the socket itself: an HTTP client would cost more than the fastest server
 * under test, and so become what is measured. A connection that ends before the answer does gives an incomplete sample.
 */
export function exchange(
  socket: Socket,
  request: Buffer,
  dueMs = performance.now(),
  onBytes: (count: number) => void = () => {},
): Promise<{ sample: Sample; reusable: boolean }> {
  return new Promise((resolve) => {
    let head: Head | null = null;
    let start: Buffer = Buffer.alloc(0);
    let tail = '';
    let bytes = 0;
    let firstByteMs = 0;

    const finish = (whole: boolean) => {
      socket.removeAllListeners('data').removeAllListeners('close').removeAllListeners('error');
      const complete = whole && head?.status === 200 && (!head.streamed || tail.includes('[DONE]'));
      const sample = { firstByteMs, totalMs: performance.now() - dueMs, bytes, complete, status: head?.status ?? 0 };
      resolve({ sample, reusable: whole && head?.closes === false });
    };
    const takeBody = (part: Buffer) => {
      bytes += part.length;
      onBytes(part.length);
      tail = (tail + part.subarray(-tailLength).toString('latin1')).slice(-tailLength);
      if (head?.length === null ? tail.endsWith(endOfChunks) : bytes >= (head?.length ?? 0)) finish(true);
    };
    socket.on('data', (part: Buffer) => {
      if (firstByteMs === 0) firstByteMs = performance.now() - dueMs;
      if (head) return takeBody(part);
      start = start.length ? Buffer.concat([start, part]) : part;
      const at = start.indexOf(endOfHead);
      if (at < 0) return;
      head = readHead(start.subarray(0, at).toString('latin1'));
      const rest = start.subarray(at + endOfHead.length);
      if (rest.length || head.length === 0) takeBody(rest);
    });
    socket.on('close', () => finish(false));
    socket.on('error', () => {});
    socket.write(request);
  });
}
