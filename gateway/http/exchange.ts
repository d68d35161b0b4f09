import type { StopSignal } from '../runtime/concurrency/stop-signal.ts';

/** Header names in lower case and their values. */
export type HeaderFields = Readonly<Record<string, string>>;

/** Where an answer's bytes go out, in their order. */
export interface AnswerWriter {
  /** A promise where the client has to catch up first; one that has gone lets the writer go on to its end. */
  write(data: string): Promise<void> | undefined;
  /** Nothing follows. */
  end(): void;
}

/** What a request says of itself before its body is read. */
export interface RequestHead {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  /** Repeated headers are joined by a comma. The name is in lower case. */
  header(name: string): string | null;
}

/**
 * A request and where its answer goes: the one form in which chats meet HTTP. A socket (`socket-exchange.ts`) and the platform's
 * `fetch` (`open-gateway.ts`) are its two ends.
 */
export interface HttpExchange extends RequestHead {
  /** Where the caller is, for the limits by address; null where it is in this process. */
  readonly address: string | null;
  /** Aborts when the client has gone before its answer is complete. */
  readonly client: StopSignal;
  /** Gives the body piece by piece, until it ends or `take` throws: that is what it then fails with. */
  eachPiece(take: (piece: Uint8Array) => void): Promise<void>;
  /** Sends a whole answer. */
  send(status: number, headers: HeaderFields, text: string): void;
  /** Begins an answer that is written bit by bit. */
  open(status: number, headers: HeaderFields): AnswerWriter;
  /** Breaks off what was begun: an answer that cannot be completed must not look complete (wire contract §0.3). */
  destroy(): void;
}
