/** The request that every client sends. The same tests run with all of them (`clients.test.ts`). */
export interface Ask {
  readonly model: string;
  readonly prompt: string;
  /** An image next to the prompt, as a data URL. */
  readonly image?: string;
  readonly temperature?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface ClientAnswer {
  readonly text: string;
  readonly totalTokens: number | undefined;
}

/** A client as its users have it, set up with only a base URL and a key. It throws failures in its own way. */
export interface Client {
  chat(ask: Ask): Promise<ClientAnswer>;
  /** Calls `onText` with each piece as it arrives. */
  stream(ask: Ask, onText?: (text: string) => void): Promise<ClientAnswer>;
  /** Offers the tool `weather(city)`, runs it, and sends its results until there is an answer. */
  toolLoop(ask: Ask, weather: (city: string) => string): Promise<string>;
  /** Requests an object of `citySchema` through the client's own support for JSON schema. */
  structured(ask: Ask): Promise<unknown>;
  /** Lists the models. Null if the client can't do that. */
  readonly models: (() => Promise<readonly string[]>) | null;
}

/** The parts of a failure that a client shows its user. */
export interface Failure {
  readonly status: number | undefined;
  readonly code: string | undefined;
}

export interface Connection {
  /** The base URL. It ends in `/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  /** The client sends its requests through this function, which counts them. */
  readonly fetch: typeof fetch;
  /** Counts one request of a client that doesn't use `fetch`. */
  sent(): void;
}

export interface ClientKind {
  readonly name: string;
  open(connection: Connection): Client;
  failure(error: unknown): Failure;
  /**
   * Returns how often the client sends a request in total if it's answered with this status (wire contract §3.2, §0.6).
   */
  asks(status: number): number;
}

/** A client that sends a request again only for these statuses, twice. */
export const asksAgainFor =
  (...statuses: readonly number[]) =>
  (status: number): number =>
    statuses.includes(status) ? 3 : 1;

export const citySchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;
