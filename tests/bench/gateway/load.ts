import { Agent, request as httpRequest } from 'node:http';

/** One request as a client sees it, in milliseconds. */
export interface Sample {
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly bytes: number;
  readonly complete: boolean;
}

export interface Target {
  readonly port: number;
  readonly key: string;
}

/** Sends `count` requests over `connections` kept-alive connections, each after the one before on its connection. */
export async function load(
  target: Target,
  body: Buffer,
  options: { count: number; connections: number },
): Promise<Sample[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const samples: Sample[] = [];
  let left = options.count;
  const lane = async () => {
    while (left-- > 0) samples.push(await once(target, body, agent));
  };
  await Promise.all(Array.from({ length: options.connections }, lane));
  agent.destroy();
  return samples;
}

function once(target: Target, body: Buffer, agent: Agent): Promise<Sample> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const call = httpRequest(
      {
        host: '127.0.0.1',
        port: target.port,
        agent,
        method: 'POST',
        path: '/v1/chat/completions',
        headers: {
          authorization: `Bearer ${target.key}`,
          'content-type': 'application/json',
          'content-length': body.length,
        },
      },
      (response) => {
        let bytes = 0;
        let firstByteMs = 0;
        let end = '';
        response.on('data', (part: Buffer) => {
          if (bytes === 0) firstByteMs = performance.now() - start;
          bytes += part.length;
          end = part.subarray(-64).toString();
        });
        response.on('end', () => {
          const streamed = response.headers['content-type']?.startsWith('text/event-stream');
          const complete = response.statusCode === 200 && (!streamed || end.includes('[DONE]'));
          resolve({ firstByteMs, totalMs: performance.now() - start, bytes, complete });
        });
        response.on('error', reject);
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? (sorted[middle] ?? Number.NaN) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
