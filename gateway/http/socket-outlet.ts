import type { ServerResponse } from 'node:http';
import type { AnswerOutlet } from './exchange.ts';

/** Where an answer's bytes go out, in their order. */
export interface SocketOutlet extends AnswerOutlet {
  /** Nothing follows, or only this. */
  end(last?: string): void;
}

/**
 * What is handed to a socket at once. Little enough that each piece the client takes shows that it reads, and that what waits
 * for it is not copied: Node keeps three times the length of a text that it cannot write at once.
 */
const pieceBytes = 65_536;

/**
 * Writes to a client's socket; what is written in one turn goes out in one piece. A client that takes nothing for `stallMs` while
 * something waits for it is hung up on, which everyone who listens for the end of its connection takes as its leaving.
 */
export function socketOutlet(outgoing: ServerResponse, stallMs: number): SocketOutlet {
  const waiting: (string | Uint8Array)[] = [];
  /** Of this turn. */
  let turn = '';
  let flushing: Promise<void> | null = null;

  /** Hands over what waits, piece by piece, until it has to wait for the client. True: nothing is left. */
  function handOver(): boolean {
    for (let piece = waiting.shift(); piece !== undefined; piece = waiting.shift()) {
      if (!hasGone(outgoing) && !outgoing.write(piece)) return false;
    }
    return true;
  }

  async function flush(): Promise<void> {
    do await drained(outgoing, stallMs);
    while (!handOver());
    flushing = null;
  }

  function closeTurn(): void {
    if (turn === '') return;
    if (turn.length <= pieceBytes) waiting.push(turn);
    else waiting.push(...piecesOf(turn));
    turn = '';
    if (!flushing && !handOver()) flushing = flush();
  }

  function write(text: string): Promise<void> | undefined {
    if (hasGone(outgoing)) return undefined;
    if (turn === '') queueMicrotask(closeTurn);
    turn += text;
    if (turn.length > pieceBytes) closeTurn();
    return flushing ?? undefined;
  }

  function close(last?: string): void {
    outgoing.end(last);
    if (!outgoing.writableFinished) hangUpUnlessTaken(outgoing, stallMs);
  }

  return {
    write,
    end(last = '') {
      turn += last;
      if (!flushing && turn.length <= pieceBytes) {
        const text = turn;
        turn = '';
        return close(text);
      }
      closeTurn();
      void Promise.resolve(flushing).then(() => close());
    },
  };
}

const hasGone = ({ destroyed, req }: ServerResponse) => destroyed || req.socket.destroyed;

function piecesOf(text: string): Uint8Array[] {
  const bytes = Buffer.from(text);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
  return pieces;
}

/** Resolves when the client has taken what was written, or has gone: also where its answer waits behind another one. */
function drained(outgoing: ServerResponse, stallMs: number): Promise<void> {
  const { socket } = outgoing.req;
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(late);
      outgoing.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    const late = setTimeout(() => socket.destroy(), stallMs);
    outgoing.on('drain', done);
    socket.on('close', done);
  });
}

/** The last bytes of an answer have their time too: until then its connection and its memory are not free. */
function hangUpUnlessTaken(outgoing: ServerResponse, stallMs: number): void {
  const { socket } = outgoing.req;
  const late = setTimeout(() => socket.destroy(), stallMs);
  late.unref();
  outgoing.once('close', () => clearTimeout(late));
}
