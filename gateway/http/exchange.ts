import type { StopSignal } from '../runtime/concurrency/stop-signal.ts';

/** Header names in lower case and their values. */
export type HeaderFields = Readonly<Record<string, string>>;

/** Writes an answer's bytes in their order. */
export interface AnswerWriter {
  /** Returns a promise when the client has to catch up first. For a client that has gone, the writer simply goes on to the end. */
  write(data: string): Promise<void> | undefined;
  /** Ends the answer. */
  end(): void;
}

/** The part of a request that is known before its body is read. */
export interface RequestHead {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  /** Repeated headers are joined by a comma. The name is in lower case. */
  header(name: string): string | null;
}

/**
 * A request and the way back to its client: the only form in which chats meet HTTP. There are two implementations, a socket
 * (`socket-exchange.ts`) and the platform's `fetch` (`open-gateway.ts`).
 */
export interface HttpExchange extends RequestHead {
  /** The client's address, for the limits by address. Null when the client is in this process. */
  readonly address: string | null;
  /** Aborts when the client has gone before its answer is complete. */
  readonly client: StopSignal;
  /** Gives the body piece by piece until it ends. When `take` throws, the promise rejects with that error. */
  eachPiece(take: (piece: Uint8Array) => void): Promise<void>;
  /** Sends a complete answer. */
  send(status: number, headers: HeaderFields, text: string): void;
  /** Begins an answer that is written piece by piece. */
  open(status: number, headers: HeaderFields): AnswerWriter;
  /** Breaks the connection off: an answer that cannot be completed must not look complete (wire contract §0.3). */
  destroy(): void;
}

/** How a request came in. Empty when the caller is in this process. */
export interface ConnectionInfo {
  /** The client's address, for the limits by address. */
  readonly address?: string;
}
