import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '#shared/errors.ts';
import { Stop, type StopSignal } from '../concurrency/stop-signal.ts';
import { hasStalled, uploadStalled } from '../overload/upload-pace.ts';
import type { AnswerOutlet, Exchange, HeaderFields } from './exchange.ts';
import { hasReadEnough } from './read-turns.ts';
import { refuseUnread } from './refuse-unread.ts';
import { socketOutlet } from './socket-outlet.ts';

/** An exchange over a socket, with nothing of the platform's `Request` and `Response` in between. */
export class SocketExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly address: string;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #stallMs: number;
  #client: Stop | null = null;

  /** A client that takes nothing of its answer for `stallMs` is hung up on. */
  constructor(incoming: IncomingMessage, outgoing: ServerResponse, address: string, stallMs: number) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#stallMs = stallMs;
    this.method = incoming.method ?? 'GET';
    this.target = incoming.url ?? '/';
    this.address = address;
  }

  header(name: string): string | null {
    return headerOf(this.#incoming.rawHeaders, name);
  }

  get client(): StopSignal {
    if (this.#client) return this.#client;
    const stop = new Stop();
    const outgoing = this.#outgoing;
    const { socket } = this.#incoming;
    const onClose = () => {
      socket.off('close', onClose);
      if (!outgoing.writableFinished) stop.abort(clientGone('its answer'));
    };
    if (outgoing.destroyed) stop.abort(clientGone('its answer'));
    outgoing.once('close', onClose);
    // An answer that waits behind another one on its connection is told nothing of that connection's end.
    if (outgoing.socket === null) socket.setMaxListeners(0).once('close', onClose);
    this.#client = stop;
    return stop;
  }

  eachPiece(take: (piece: Uint8Array) => void): Promise<void> {
    const incoming = this.#incoming;
    return new Promise((resolve, reject) => {
      const onData = (piece: Buffer) => {
        try {
          take(piece);
          if (hasReadEnough(piece.length)) {
            incoming.pause();
            setImmediate(() => incoming.resume());
          }
        } catch (error) {
          incoming.off('data', onData);
          incoming.pause();
          reject(error);
        }
      };
      const onError = () => reject(hasStalled(incoming) ? uploadStalled() : clientGone('its request'));
      const onClose = () => {
        if (!incoming.complete) onError();
      };
      const onEnd = () => {
        // Whatever keeps the request while it is answered would keep its body with it.
        incoming.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
        resolve();
      };
      incoming.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
    });
  }

  send(status: number, headers: HeaderFields, text: string): void {
    const outgoing = this.#outgoing;
    const fields = { ...headers, 'content-length': String(Buffer.byteLength(text)) };
    if (!this.#incoming.complete) return void refuseUnread(outgoing, status, fields, text);
    outgoing.writeHead(status, fields);
    socketOutlet(outgoing, this.#stallMs).end(text);
  }

  open(status: number, headers: HeaderFields): AnswerOutlet {
    this.#outgoing.writeHead(status, headers);
    return socketOutlet(this.#outgoing, this.#stallMs);
  }

  destroy(): void {
    this.#outgoing.destroy();
  }
}

const clientGone = (what: string) =>
  new AppError('client_closed_request', `The client went away before ${what} was complete.`);

/** Two credentials are none: repeated headers are joined, as the platform's `Headers` joins them. */
function headerOf(raw: readonly string[], name: string): string | null {
  let value: string | null = null;
  for (let at = 0; at < raw.length; at += 2) {
    const known = raw[at] ?? '';
    if (known.length !== name.length || known.toLowerCase() !== name) continue;
    value = value === null ? (raw[at + 1] ?? '') : `${value}, ${raw[at + 1] ?? ''}`;
  }
  return value;
}
