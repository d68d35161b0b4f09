import { AppError } from '#shared/errors.ts';
import { Stop } from '../runtime/concurrency/stop-signal.ts';
import type { AnswerWriter, HeaderFields, HttpExchange } from './exchange.ts';
import { getBody } from './read-body.ts';

/** How long a reader in this process may take nothing while something is there for it. */
export const readerStallMs = 60_000;
/** What may wait for a reader before the writer is made to wait: its parts are longer once they are written out. */
const waitingBytes = 65_536;

/** Answers a platform `Request` through an exchange. Resolves with the answer's head; its body may still be under way. */
export function fetchExchange(
  request: Request,
  address: string | null,
  receive: (exchange: HttpExchange) => Promise<void>,
  stallMs = readerStallMs,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const client = new Stop();
    const leave = () => client.abort(clientGone());
    if (request.signal.aborted) leave();
    request.signal.addEventListener('abort', leave, { once: true });
    const { pathname, search } = new URL(request.url);
    const exchange: HttpExchange = {
      method: request.method,
      target: `${pathname}${search}`,
      address,
      client,
      ...getBody(request),
      send: (status, headers, text) => resolve(new Response(text, { status, headers: { ...headers } })),
      open: (status, headers) => opened(status, headers, client, stallMs, resolve),
      destroy: () => reject(new Error('the answer was broken off')),
    };
    receive(exchange).catch(reject);
  });
}

function opened(
  status: number,
  headers: HeaderFields,
  client: Stop,
  stallMs: number,
  resolve: (response: Response) => void,
): AnswerWriter {
  const encoder = new TextEncoder();
  let over = false;
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let wake: (() => void) | null = null;
  let late: NodeJS.Timeout | undefined;
  const goOn = () => {
    clearTimeout(late);
    wake?.();
    wake = null;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      pull: goOn,
      cancel() {
        over = true;
        client.abort(clientGone());
        goOn();
      },
    },
    { highWaterMark: waitingBytes, size: (chunk) => chunk?.byteLength ?? 0 },
  );
  resolve(new Response(body, { status, headers: { ...headers } }));

  function untilTaken(): Promise<void> {
    return new Promise((done) => {
      wake = done;
      late = setTimeout(() => {
        client.abort(tookNothing());
        goOn();
      }, stallMs);
    });
  }

  return {
    write(text) {
      if (over) return undefined;
      controller?.enqueue(encoder.encode(text));
      return (controller?.desiredSize ?? 1) > 0 ? undefined : untilTaken();
    },
    end() {
      if (over) return;
      over = true;
      controller?.close();
    },
  };
}

const clientGone = () => new AppError('client_closed_request', 'The client went away before its answer was complete.');

const tookNothing = () =>
  new AppError('client_closed_request', 'The client took nothing of its answer for so long that it was ended.');
