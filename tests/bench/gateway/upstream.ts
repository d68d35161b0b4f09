import { createServer } from 'node:http';

/**
 * The provider that the gateways under test talk to: answers from bytes made once, so that it is never what is measured.
 * `POST …/chat/completions` answers a fixed completion; with `"stream":true` as many chunks as the prompt asks for
 * (`bench-50`: fifty), one every two milliseconds, or many would be read as one; `bench-0` streams the same text as the fixed completion
 * in one piece, for gateways that always stream; `bench-open` sends one chunk and holds the line until the client goes;
 * `bench-flood` sends chunks without end, as fast as they are taken.
 */
const port = Number(process.argv[2]);
const usage = '{"prompt_tokens":12,"completion_tokens":50,"total_tokens":62}';
const completion = Buffer.from(
  `{"id":"c","object":"chat.completion","created":1,"model":"bench-1","choices":[{"index":0,"message":{"role":"assistant","content":"${'word '.repeat(50)}"},"finish_reason":"stop"}],"usage":${usage}}`,
);
/** Slow enough for every chunk to arrive by itself. */
const chunkEveryMs = 2;
const frame = (delta: string, finish = 'null', more = '') =>
  `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"bench","choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]${more}}\n\n`;
const chunk = Buffer.from(frame('{"content":"word "}'));
const words = 'word '.repeat(50);
const whole = Buffer.from(
  `${frame(`{"role":"assistant","content":"${words}"}`)}${frame('{}', '"stop"', `,"usage":${usage}`)}data: [DONE]\n\n`,
);
const flood = Buffer.concat(Array.from({ length: 128 }, () => chunk));
const last = Buffer.from(`${frame('{}', '"stop"', `,"usage":${usage}`)}data: [DONE]\n\n`);

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    // What is asked for stands before a long prompt or after it, depending on who wrote the body.
    const head = `${body.toString('latin1', 0, 2048)}${body.toString('latin1', Math.max(2048, body.length - 2048))}`;
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
    if (head.includes('bench-flood')) {
      const more = () => {
        while (!response.destroyed && response.write(flood));
      };
      response.on('drain', more);
      more();
      return;
    }
    let left = Number(/"bench-(\d+)/.exec(head)?.[1] ?? 1);
    if (left === 0) {
      response.end(whole);
      return;
    }
    const next = () => {
      if (left-- <= 0) return void response.end(last);
      response.write(chunk);
      setTimeout(next, chunkEveryMs);
    };
    next();
  });
});
server.listen(port, '127.0.0.1', () => process.stdout.write('ready\n'));
