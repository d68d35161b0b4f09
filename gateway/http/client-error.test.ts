import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { errorBody } from '#shared/wire/error.ts';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { answerClientErrors, getFault, listen } from './listen.ts';

async function openPort() {
  const opened = await openTestGateway();
  const server = await listen(opened.gateway, { port: 0 });
  onTestFinished(() => server.close());
  return { ...opened, ...server };
}

/** Sends bytes and returns everything that came back until the connection was closed. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += String(chunk);
  });
  socket.on('error', () => {});
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

function parsed(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, error: errorBody.parse(JSON.parse(body)).error };
}

test.each([
  ['a request that is not HTTP', 'nonsense\r\n\r\n', 400, 'malformed_request'],
  ['a method that does not exist', 'HELLO / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 400, 'malformed_request'],
  [
    'a header with a line break in it',
    'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\na: b\rc\r\n\r\n',
    400,
    'malformed_request',
  ],
  [
    'a body with two lengths',
    'POST /chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
    400,
    'malformed_request',
  ],
  [
    'headers of more than 16 KiB',
    `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nx: ${'y'.repeat(17_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
  ['a request without a Host header', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
  [
    'an invalid Host header',
    'GET /healthz HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
    400,
    'malformed_request',
  ],
])('%s is answered with the envelope of all errors', async (_what, bytes, status, code) => {
  const { port } = await openPort();
  const answer = parsed(await raw(port, bytes));
  expect(answer.status).toBe(status);
  expect(answer.error).toMatchObject({ code, status_code: status, type: 'invalid_request_error' });
  expect(answer.error.request_id).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(answer.head.toLowerCase()).toContain('content-type: application/json; charset=utf-8');
});

test('a request that arrives too slowly is 408, with the envelope', async () => {
  const server = createServer({ headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 });
  answerClientErrors(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const answer = parsed(await raw(port, 'POST /chat HTTP/1.1\r\nHost: 127.0.0.1\r\n'));
  expect(answer.status).toBe(408);
  expect(answer.head).toContain('Retry-After: 1');
  expect(answer.error).toMatchObject({ code: 'request_timeout', type: 'timeout_error', retryable: true });
});

test('nothing is written into an answer that has begun', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('begun');
  });
  answerClientErrors(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    answer += String(chunk);
    if (answer.includes('begun')) socket.write('nonsense\r\n\r\n');
  });
  socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await once(socket, 'close');
  expect(answer).toContain('begun');
  expect(answer).not.toContain('malformed_request');
});

test('a parser error without a name is a malformed request', () => {
  expect(getFault(new Error('something else'))).toMatchObject({ code: 'malformed_request', status: 400 });
});
