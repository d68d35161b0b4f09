import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { errorCode, openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { listen } from './listen.ts';

async function openPort() {
  const opened = await openTestGateway();
  const server = await listen(opened.gateway, { port: 0, hosts: ['api.example.com'] });
  onTestFinished(() => server.close());
  return { ...opened, ...server };
}

/** Sends bytes as they are and returns everything that came back until the connection was closed. */
async function raw(port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += String(chunk);
  });
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await once(socket, 'close');
  return answer;
}

test('the gateway answers over a socket as it does in process', async () => {
  const { url, key } = await openPort();
  const response = await fetch(`${url}/account`, { headers: { authorization: `Bearer ${key}` } });
  expect(await response.json()).toMatchObject({ object: 'account', name: 'Tester' });
});

test.each([
  ['rebound.example', 403],
  ['127.0.0.1.example', 403],
  ['', 403],
  ['localhost', 200],
  ['LOCALHOST:80', 200],
  ['[::1]:8788', 200],
  ['api.example.com', 200],
])('a request for the host "%s" is answered with %i', async (host, status) => {
  const { port } = await openPort();
  const answer = await raw(port, ['GET /healthz HTTP/1.1', `Host: ${host}`, 'Connection: close']);
  if (host === '') expect(answer).not.toContain(' 200 ');
  else expect(answer).toContain(`HTTP/1.1 ${status} `);
});

test('two Authorization headers are refused, even when both are valid', async () => {
  const { port, key } = await openPort();
  const line = `Authorization: Bearer ${key}`;
  const head = ['GET /account HTTP/1.1', 'Host: 127.0.0.1', 'Connection: close'];
  expect(await raw(port, [...head, line])).toContain('HTTP/1.1 200 ');
  expect(await raw(port, [...head, line, line])).toContain('malformed_authorization');
});

test('a body that grows past its limit without announcing it is refused', async () => {
  const { url, key } = await openPort();
  const piece = new Uint8Array(1024 * 1024).fill(0x20);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1;
      if (sent > 40) controller.close();
      else controller.enqueue(piece);
    },
  });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
  expect(await errorCode(await fetch(`${url}/chat`, init))).toBe('request_too_large');
});

test('a client that sends far too much can read the error while it is still sending', async () => {
  const { port, key } = await openPort();
  const size = 40 * 1024 * 1024;
  const head = [
    'POST /chat HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${size}`,
  ];
  const attempt = async () => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += String(chunk);
    });
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(Buffer.alloc(size, 0x20));
    const reset = await once(socket, 'close').then(
      () => null,
      (error: NodeJS.ErrnoException) => error.code,
    );
    return [reset, answer.split(' ')[1]];
  };
  expect(await Promise.all(Array.from({ length: 8 }, attempt))).toEqual(Array.from({ length: 8 }, () => [null, '413']));
});

test('the error names the port that is taken', async () => {
  const { port, gateway } = await openPort();
  await expect(listen(gateway, { port })).rejects.toMatchObject({
    code: 'port_unavailable',
    message: expect.stringContaining(`Port ${port} cannot be used: another program uses it`),
  });
});
