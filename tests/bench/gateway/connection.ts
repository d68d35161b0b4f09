import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One request as a client sees it, in milliseconds from the moment it was due. */
export interface Sample {
  readonly firstByteMs: number;
  readonly totalMs: number;
  /** Bytes of the body, including its framing. */
  readonly bytes: number;
  /** Whether it was answered with 200 and to its end, for a stream including `[DONE]`. */
  readonly complete: boolean;
  /** The HTTP status, or 0 if the connection ended first. */
  readonly status: number;
}

/** The server that the load is sent to. */
export interface Target {
  /** A port for each instance. Connections use them in turn. */
  readonly ports: readonly number[];
  /** API keys, used in turn: rate limits are per key and are not what is measured. */
  readonly keys: readonly string[];
  /** The name of the model by which this gateway reaches the upstream. */
  readonly model: string;
  /** Header lines that this gateway needs besides the usual ones. */
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

/** Returns the same request as bytes, once for each key. */
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
 * Sends one request and reads its answer directly on the socket: an HTTP client would take more time than the
 * fastest server under test, and would then be what is measured. If the connection ends before the answer
 * does, the sample is incomplete.
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

    const finish = (isComplete: boolean) => {
      socket.removeAllListeners('data').removeAllListeners('close').removeAllListeners('error');
      const complete = isComplete && head?.status === 200 && (!head.streamed || tail.includes('[DONE]'));
      const sample = { firstByteMs, totalMs: performance.now() - dueMs, bytes, complete, status: head?.status ?? 0 };
      resolve({ sample, reusable: isComplete && head?.closes === false });
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
      const headEnd = start.indexOf(endOfHead);
      if (headEnd < 0) return;
      head = readHead(start.subarray(0, headEnd).toString('latin1'));
      const bodyStart = start.subarray(headEnd + endOfHead.length);
      if (bodyStart.length || head.length === 0) takeBody(bodyStart);
    });
    socket.on('close', () => finish(false));
    socket.on('error', () => {});
    socket.write(request);
  });
}
