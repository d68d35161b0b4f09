import { createServer } from 'node:http';

/**
 * The provider that the gateways under test talk to: answers from bytes made once, so that it is never what is measured.
 * `POST …/chat/completions` answers a fixed completion; with `"stream":true` as many chunks as the model's name asks for
 * (`bench-50`: fifty), all at once; `bench-open` sends one chunk and holds the line until the client goes.
 */
const port = Number(process.argv[2]);
const usage = '{"prompt_tokens":12,"completion_tokens":50,"total_tokens":62}';
const completion = Buffer.from(
  `{"id":"c","object":"chat.completion","created":1,"model":"bench-1","choices":[{"index":0,"message":{"role":"assistant","content":"${'word '.repeat(50)}"},"finish_reason":"stop"}],"usage":${usage}}`,
);
const frame = (delta: string, finish = 'null', more = '') =>
  `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"bench","choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]${more}}\n\n`;
const chunk = Buffer.from(frame('{"content":"word "}'));
const last = Buffer.from(`${frame('{}', '"stop"', `,"usage":${usage}`)}data: [DONE]\n\n`);

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const head = Buffer.concat(parts).subarray(0, 4096).toString();
    if (!/"stream":\s*true/.test(head)) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': completion.length });
      response.end(completion);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (head.includes('bench-open')) {
      response.write(chunk);
      return;
    }
    let left = Number(/"bench-(\d+)"/.exec(head)?.[1] ?? 1);
    const next = () => {
      if (left-- > 0) response.write(chunk, next);
      else response.end(last);
    };
    next();
  });
});
server.listen(port, '127.0.0.1', () => process.stdout.write('ready\n'));
