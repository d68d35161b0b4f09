import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One request as a client sees it, in milliseconds. */
export interface Sample {
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly bytes: number;
  readonly complete: boolean;
}

export interface Target {
  readonly port: number;
  /** Taken in turn: limits are per key, and are not what is measured. */
  readonly keys: readonly [string, ...string[]];
}

const endOfHead = Buffer.from('\r\n\r\n');
const endOfChunks = '\r\n0\r\n\r\n';
const tailLength = 64;

/**
 * Sends `count` requests over `connections` kept-alive connections, each after the one before on its connection. Speaks
 * to the socket itself: an HTTP client would cost more than the fastest server under test, and so become what is measured.
 */
export async function load(
  target: Target,
  body: Buffer,
  options: { count: number; connections: number },
): Promise<Sample[]> {
  const requests = target.keys.map((key) => requestBytes(target.port, key, body));
  const samples: Sample[] = [];
  let left = options.count;
  const lane = async () => {
    let socket = await open(target.port);
    while (left-- > 0) {
      const { sample, reusable } = await exchange(socket, requests[left % requests.length] ?? Buffer.alloc(0));
      samples.push(sample);
      if (reusable) continue;
      socket.destroy();
      socket = await open(target.port);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: options.connections }, lane));
  return samples;
}

/** Opens a stream, waits for its first event and holds it. */
export async function holdStream(target: Target, body: Buffer, turn: number): Promise<Socket> {
  const socket = await open(target.port);
  const key = target.keys[turn % target.keys.length] ?? target.keys[0];
  let seen = '';
  socket.write(requestBytes(target.port, key, body));
  while (!seen.includes('data: ')) {
    const [part] = (await once(socket, 'data')) as [Buffer];
    seen += part.toString('latin1');
  }
  return socket;
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

function requestBytes(port: number, key: string, body: Buffer): Buffer {
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
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

/** One request and its answer. A connection that ends before the answer does gives an incomplete sample. */
function exchange(socket: Socket, request: Buffer): Promise<{ sample: Sample; reusable: boolean }> {
  return new Promise((resolve) => {
    const began = performance.now();
    let head: Head | null = null;
    let start: Buffer = Buffer.alloc(0);
    let tail = '';
    let bytes = 0;
    let firstByteMs = 0;

    const finish = (whole: boolean) => {
      socket.removeAllListeners('data').removeAllListeners('close').removeAllListeners('error');
      const ended = !head?.streamed || tail.includes('[DONE]');
      const complete = whole && head?.status === 200 && ended;
      const sample = { firstByteMs, totalMs: performance.now() - began, bytes, complete };
      resolve({ sample, reusable: whole && head?.closes === false });
    };
    const takeBody = (part: Buffer) => {
      bytes += part.length;
      tail = (tail + part.subarray(-tailLength).toString('latin1')).slice(-tailLength);
      if (head?.length === null ? tail.endsWith(endOfChunks) : bytes >= (head?.length ?? 0)) finish(true);
    };
    socket.on('data', (part: Buffer) => {
      if (firstByteMs === 0) firstByteMs = performance.now() - began;
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

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? (sorted[middle] ?? Number.NaN) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
