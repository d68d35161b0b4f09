/** What every client is asked to do. The same table of tests runs over all of them (`clients.test.ts`). */
export interface Ask {
  readonly model: string;
  readonly prompt: string;
  /** An image beside the prompt, as a data URL. */
  readonly image?: string;
  readonly temperature?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Said {
  readonly text: string;
  readonly totalTokens: number | undefined;
}

/** A client as its users hold it, set up by nothing but a base URL and a key. Failures are thrown, as the client does. */
export interface Client {
  chat(ask: Ask): Promise<Said>;
  /** `onText` is called with each piece as it comes. */
  stream(ask: Ask, onText?: (text: string) => void): Promise<Said>;
  /** Offers the tool `weather(city)`, runs it, and asks on until there is an answer. */
  toolLoop(ask: Ask, weather: (city: string) => string): Promise<string>;
  /** Asks for an object of `citySchema`, by the client's own way to JSON schema. */
  structured(ask: Ask): Promise<unknown>;
  /** Null: this client has no list of models. */
  readonly models: (() => Promise<readonly string[]>) | null;
}

/** What a client lets its user see of a failure. */
export interface Failure {
  readonly status: number | undefined;
  readonly code: string | undefined;
}

export interface Connection {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  /** What the client sends goes through here and is counted. */
  readonly fetch: typeof fetch;
  /** Counts one request of a client that has a network of its own. */
  sent(): void;
}

export interface ClientKind {
  readonly name: string;
  open(connection: Connection): Client;
  failure(error: unknown): Failure;
  /** How often it sends a request, all in all, that is answered with this status (wire contract §3.2, §0.6). */
  asks(status: number): number;
}

/** A client that asks again only for these statuses, twice. */
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
