import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '#shared/errors.ts';
import { Stop, type StopSignal } from '../concurrency/stop-signal.ts';
import { hasReadEnough } from './read-turns.ts';

/**
 * What the chat routes read of a `Request`, straight from the socket: the platform's own costs a set of `Headers`, an
 * abort signal and a web stream each.
 */
export class SocketRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null; has(name: string): boolean };
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  #signal: Stop | null = null;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.method = incoming.method ?? 'GET';
    this.url = `http://${incoming.headers.host ?? 'localhost'}${incoming.url ?? '/'}`;
    const get = (name: string) => headerOf(incoming.rawHeaders, name.toLowerCase());
    this.headers = { get, has: (name) => get(name) !== null };
  }

  /** Aborts when the client goes before its answer is complete. */
  get signal(): StopSignal {
    if (this.#signal) return this.#signal;
    const stop = new Stop();
    const outgoing = this.#outgoing;
    const { socket } = this.#incoming;
    const onClose = () => {
      socket.off('close', onClose);
      if (!outgoing.writableFinished) stop.abort(clientGone());
    };
    if (outgoing.destroyed) stop.abort(clientGone());
    outgoing.once('close', onClose);
    // An answer that waits behind another one on its connection is told nothing of that connection's end.
    if (outgoing.socket === null) socket.setMaxListeners(0).once('close', onClose);
    this.#signal = stop;
    return stop;
  }

  /** Gives the body piece by piece, until it ends or `take` throws: that is what it then fails with. */
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
      incoming.on('data', onData);
      incoming.on('end', () => resolve());
      incoming.on('error', () => reject(clientGone()));
      incoming.on('close', () => {
        if (!incoming.complete) reject(clientGone());
      });
    });
  }

  /** For frameworks whose types know `Request` only. */
  asRequest(): Request {
    return this as unknown as Request;
  }
}

const clientGone = () => new AppError('client_closed_request', 'The client went away before its request was complete.');

/** Repeated headers are joined, as the platform's `Headers` joins them: two credentials are none. */
function headerOf(raw: readonly string[], name: string): string | null {
  let value: string | null = null;
  for (let at = 0; at < raw.length; at += 2) {
    const known = raw[at] ?? '';
    if (known.length !== name.length || known.toLowerCase() !== name) continue;
    value = value === null ? (raw[at + 1] ?? '') : `${value}, ${raw[at + 1] ?? ''}`;
  }
  return value;
}
