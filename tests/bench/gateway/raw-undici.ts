import { createServer, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

/** The lowest floor: a proxy that forwards everything unread. */
const [port, upstream] = [Number(process.argv[2]), process.argv[3] ?? ''];
const pool = new Pool(upstream, { connections: 1024 });

createServer((request, response) => {
  pool.dispatch(
    {
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': request.headers['content-length'] ?? '0' },
      body: request,
    },
    passThrough(response),
  );
}).listen(port, '127.0.0.1');

function passThrough(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      response.on('close', () => {
        if (!response.writableFinished) controller.abort(new Error('client gone'));
      });
    },
    onResponseStart(_controller, status, headers) {
      response.writeHead(status, { 'content-type': String(headers['content-type'] ?? 'application/json') });
    },
    onResponseData(controller, data) {
      if (!response.write(data)) {
        controller.pause();
        response.once('drain', () => controller.resume());
      }
    },
    onResponseEnd() {
      response.end();
    },
    onResponseError() {
      response.destroy();
    },
  };
}
