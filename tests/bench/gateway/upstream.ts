import { createServer, type ServerResponse } from 'node:http';
import { eventCount, nonStreamingAnswer, streamedAnswer } from './answers.ts';

/**
 * The provider that the gateways under test call. It answers with bytes made once, so that it's never what is measured.
 * `POST …/chat/completions` gives the non-streaming answer. With `"stream":true` the prompt decides how events are
 * sent: `bench-flat` all at once; `bench-paced` one every two milliseconds, so that they arrive separately;
 * `bench-open` two events, and then the connection stays open until the client closes it; `bench-flood` endless events,
 * as fast as they are accepted.
 */
const port = Number(process.argv[2]);
/** Slow enough for every event to arrive separately. */
const eventEveryMs = 2;
const flood = Buffer.concat(streamedAnswer.slice(1, -2));

const streams: Readonly<Record<string, (response: ServerResponse) => void>> = {
  flat(response) {
    for (const event of streamedAnswer) response.write(event);
    response.end();
  },
  paced(response) {
    let sent = 0;
    const next = () => {
      response.write(streamedAnswer[sent++] ?? '');
      if (sent === eventCount) return void response.end();
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
    // The instruction may stand before or after the long prompt, depending on who wrote the body.
    const ends = `${body.toString('latin1', 0, 2048)}${body.toString('latin1', Math.max(2048, body.length - 2048))}`;
    if (!/"stream":\s*true/.test(ends)) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': nonStreamingAnswer.length });
      return void response.end(nonStreamingAnswer);
    }
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    // A gateway that requests a stream for a non-streaming client gets all events at once.
    (streams[/"bench-(\w+)/.exec(ends)?.[1] ?? ''] ?? streams.flat)?.(response);
  });
});
server.listen(port, '127.0.0.1');
