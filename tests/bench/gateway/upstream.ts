import { createServer, type ServerResponse } from 'node:http';
import { eventCount, streamedAnswer, wholeAnswer } from './answers.ts';

/**
 * The provider that the gateways under test talk to: answers from bytes made once, so that it is never what is measured.
 * `POST …/chat/completions` answers the whole answer; with `"stream":true` its events as the prompt asks: `bench-flat`
 * all at once, `bench-paced` one every two milliseconds, or many would be read as one; `bench-open` sends two events and
 * holds the line until the client goes; `bench-flood` sends events without end, as fast as they are taken.
 */
const port = Number(process.argv[2]);
/** Slow enough for every event to arrive by itself. */
const eventEveryMs = 2;
const flood = Buffer.concat(streamedAnswer.slice(1, -2));

const streams: Readonly<Record<string, (response: ServerResponse) => void>> = {
  flat(response) {
    for (const event of streamedAnswer) response.write(event);
    response.end();
  },
  paced(response) {
    let turn = 0;
    const next = () => {
      response.write(streamedAnswer[turn++] ?? '');
      if (turn === eventCount) return void response.end();
      setTimeout(next, eventEveryMs);
    };
    next();
  },
  open(response) {
    for (const event of streamedAnswer.slice(0, 2)) response.write(event);
  },
  flood(response) {
    const more = () => {
      while (!response.destroyed && response.write(flood));
    };
    response.on('drain', more);
    more();
  },
};

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    // What is asked for stands before a long prompt or after it, depending on who wrote the body.
    const ends = `${body.toString('latin1', 0, 2048)}${body.toString('latin1', Math.max(2048, body.length - 2048))}`;
    if (!/"stream":\s*true/.test(ends)) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': wholeAnswer.length });
      return void response.end(wholeAnswer);
    }
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    // A gateway that asks for a stream where its client wants a whole answer has all events at once.
    (streams[/"bench-(\w+)/.exec(ends)?.[1] ?? ''] ?? streams.flat)?.(response);
  });
});
server.listen(port, '127.0.0.1');
