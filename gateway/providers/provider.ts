import type { NanoUsd } from '#shared/money.ts';
import type { Price, TokenUsage } from '#shared/price.ts';
import type { ServerKind } from '#shared/server-kinds.ts';
import type { ChatMessage, CompletionRequest, ReasoningDetail } from '#shared/wire/chat-request.ts';
import type { FinishReason } from '#shared/wire/chat-response.ts';
import type { Secret } from '../access/auth/secret.ts';
import type { Effort, ModelFacts } from '../models/catalogue/model-facts.ts';
import type { PriceFields } from '../models/prices/price-document.ts';
import type { StopSignal } from '../runtime/concurrency/stop-signal.ts';
import type { CallState, LongChanges } from './changed-request.ts';
import type { ClientTools } from './content/client-tools.ts';
import type { EmbeddingRequest, Embeddings } from './embedding.ts';
import type { Packed } from './packed-request.ts';
import type { FetchedFiles } from './upstream/fetched-files.ts';
import type { UpstreamFetch } from './upstream/upstream-response.ts';

/** What is needed to reach a provider. `apiKey: null`: a server without keys, such as a local one. */
export interface ProviderCredential {
  readonly apiKey: Secret | null;
  readonly baseUrl: string;
  /**
   * What happens to an answer after its client disconnects: it's aborted (the default) or read to its end (wire
   * contract §1.4.8).
   */
  readonly onDisconnect?: 'abort' | 'drain';
  /**
   * Whether the provider may be given URLs to fetch. By default only a vendor at its own address may, because it
   * fetches from its own network. A server that could reach the operator's network may not.
   */
  readonly mayFetch?: boolean;
  /** All keys, if there are several, in the order in which they are tried. `apiKey` is the first. */
  readonly keys?: readonly ProviderKey[];
  /** Extra headers for every request. They may be secrets, and they override none of the adapter's own headers. */
  readonly headers?: ReadonlyMap<string, Secret>;
  /** How long the server may take to answer, in milliseconds. The default depends on the model and the kind of provider. */
  readonly timeoutMs?: number;
  /** For a server that its owner has named: its name and the kind of its API. */
  readonly server?: NamedServer;
  /** Models that the owner has declared, besides those that the server lists itself. */
  readonly models?: readonly DeclaredModel[];
}

/** One of several keys of a provider. */
export interface ProviderKey {
  /** The name that its owner gave it. */
  readonly label: string;
  readonly secret: Secret;
}

export interface NamedServer {
  readonly name: string;
  readonly kind: ServerKind;
  /** Azure only: the dated API version, with which each deployment has its own path; null for `/openai/v1`. */
  readonly apiVersion: string | null;
}

/** A model that its owner has declared, whether the server lists it or not. */
export interface DeclaredModel {
  /** The server's name of the model; with Azure, its deployment. */
  readonly model: string;
  /** The price book's name of the same model, as `provider/model`. The facts of that model apply. */
  readonly sameAs: string | null;
  /** Its price there. Null: the price that the server lists, or else the price of `sameAs`. */
  readonly price: PriceFields | null;
  /**
   * The day on which the owner gave the price (`YYYY-MM-DD`, UTC). The default is the day on which the list is read.
   */
  readonly priceAsOf?: string;
}

/** A chat request as adapters get it: in OpenAI's format, for one concrete model, with its limits already decided. */
export interface ProviderRequest {
  readonly model: string;
  /** Empty if the request is `packed`. */
  readonly messages: readonly ChatMessage[];
  /**
   * The messages and other long parts of a large request. `upstreamBody` writes its body without unpacking them on this
   * thread.
   */
  readonly packed?: Packed | null;
  /** Stored state that the provider wants back, for tool calls that came without it. */
  readonly recalled?: CallState | null;
  /** The pictures and files that the request gives by their URL, if its provider may not fetch them itself. */
  readonly fetched?: FetchedFiles | null;
  /** The messages in OpenAI's JSON, if nothing in it has to change. Then a long prompt needn't be serialised again. */
  readonly messagesJson?: Uint8Array | null;
  /** A non-streaming answer is wanted. */
  readonly nonStreaming?: boolean;
  /** The client gets the answer as a whole, so nobody reads it before its end. */
  readonly isCollected?: boolean;
  /** The known facts of the model; absent if only its server knows it. */
  readonly facts?: ModelFacts | null;
  /**
   * Which of its vendor's APIs to use, if there are several. The model's facts decide it (`fitting/fit-request.ts`).
   */
  readonly api?: 'chat_completions' | 'responses';
  /** Changes to the long parts that the model needs. They are applied where the body is written. */
  readonly changes?: LongChanges | null;
  /** Null: the provider decides, if it allows that. */
  readonly maxTokens: number | null;
  /**
   * The functions that stand for the caller's tools. OpenAI's Responses API has tools of the same kinds and gets those
   * instead.
   */
  readonly clientTools?: ClientTools;
  /** Further fields that only OpenAI's own models get. Every other adapter ignores them. */
  readonly openaiOnly: Readonly<Record<string, unknown>>;
  /** All further fields of the request, as the caller sent them. */
  readonly parameters: Partial<
    Pick<
      CompletionRequest,
      | 'temperature'
      | 'top_p'
      | 'stop'
      | 'seed'
      | 'frequency_penalty'
      | 'presence_penalty'
      | 'response_format'
      | 'tools'
      | 'tool_choice'
      | 'parallel_tool_calls'
      | 'reasoning_effort'
      | 'web_search_options'
      | 'modalities'
      | 'user'
    >
  >;
}

/** What an upstream reports about how it answered. The service tier decides the price. */
export interface Served {
  readonly serviceTier?: string;
  readonly systemFingerprint?: string;
  /** Tokens of the caller's prediction that are in the answer, and tokens of it that aren't. */
  readonly acceptedPredictionTokens?: number;
  readonly rejectedPredictionTokens?: number;
}

/**
 * An event of an answer, in the same form for all providers. The first event means that the upstream has begun to
 * answer. `usage` is cumulative: each report replaces the one before. `finish` is only sent if the upstream reported
 * that its answer is complete.
 */
export type ProviderEvent =
  | { readonly type: 'start' }
  | {
      readonly type: 'text-delta';
      readonly text: string;
      /** OpenAI's log probabilities for this piece of text, if they were requested. The text may then be empty. */
      readonly logprobs?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'reasoning-delta';
      /** Empty if only a signature arrives. */
      readonly text: string;
      /** The same piece with its vendor's signature and its place; absent if it has neither. */
      readonly details?: readonly ReasoningDetail[];
    }
  | { readonly type: 'refusal-delta'; readonly text: string }
  | {
      readonly type: 'tool-call-start';
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly extraContent?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'tool-call-delta'; readonly index: number; readonly arguments: string }
  | {
      readonly type: 'usage';
      readonly usage: TokenUsage;
      /** The cost of the request, if the upstream reports it. */
      readonly cost?: NanoUsd;
    }
  /** One web search that the provider charges for. `usage` also contains the number of these searches. */
  | { readonly type: 'search' }
  /** An image that the model generated: a base64 data URL or an https URL. */
  | { readonly type: 'image'; readonly url: string }
  /** Sources that the answer cites, in OpenAI's format. */
  | { readonly type: 'annotations'; readonly annotations: readonly Readonly<Record<string, unknown>>[] }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly served?: Served };

/** What an answer cost according to its provider. */
export type Bill = Required<Extract<ProviderEvent, { type: 'usage' }>>;

/**
 * Asks the provider once for the cost of an answer. Null: the provider doesn't report it. Fails with an `AppError`,
 * even if the cost just isn't known yet.
 */
export type AskBill = (signal: StopSignal) => Promise<Bill | null>;

export interface ProviderContext {
  readonly credential: ProviderCredential;
  readonly signal: StopSignal;
  readonly fetch: UpstreamFetch;
  /** How long the upstream may send nothing in the middle of a stream. */
  readonly silentMs?: number;
  /** Called if the upstream streams an answer although a non-streaming one was requested. */
  readonly answersInParts?: () => void;
  /**
   * Called if the adapter requests a non-streaming answer although a stream was wanted. Then all of the answer arrives
   * at its end.
   */
  readonly answersNonStreaming?: () => void;
  /** Called if the provider can be asked later what an aborted answer cost. */
  readonly offersCost?: (ask: AskBill) => void;
}

/** Takes the events of an answer as they arrive. The upstream waits while the returned promise is pending. */
export type TakeEvents = (events: readonly ProviderEvent[]) => Promise<void> | undefined;

/**
 * A model in a server's own list (OpenAI-compatible servers), with the facts that the list contains. Null or absent:
 * the list doesn't contain the fact.
 */
export interface ListedModel {
  readonly model: string;
  readonly name?: string | null;
  readonly created: number | null;
  readonly contextLength: number | null;
  readonly maxOutputTokens?: number | null;
  readonly inputs?: readonly string[] | null;
  readonly makesImages?: boolean;
  readonly tools?: boolean | null;
  readonly reasoning?: boolean | null;
  readonly price?: Price | null;
  /** The levels of reasoning effort, if its vendor lists them. */
  readonly efforts?: readonly Effort[] | null;
  /** The model makes embeddings and can't chat. */
  readonly embeds?: boolean;
}

/**
 * An upstream AI service. It fails with an `AppError` that has an upstream code. It only retries if the upstream
 * refused a part of the request that the answer can do without.
 */
export interface Provider {
  readonly id: string;
  readonly name: string;
  /** The provider refuses requests without `maxTokens`, so it always gets one. */
  readonly needsMaxTokens?: boolean;
  /** The provider signs its reasoning before tool calls, and wants it back with them (`extra_content`). */
  readonly signsReasoning?: boolean;
  /**
   * When the provider reports its usage: all of it last, or along with each piece. Absent: the input first and the
   * output last.
   */
  readonly counts?: 'last' | 'along';
  /** If the provider shows a model's thinking, it shows all of it. Otherwise it shows a summary or nothing. */
  readonly showsThinking?: boolean;
  /** The provider can fetch images by their URL. If it can't or may not, it gets the bytes (`provider-guards.ts`). */
  readonly fetchesImages?: boolean;
  /** The provider reports what each answer cost. */
  readonly reportsCost?: boolean;
  /** The longest answer, in tokens, that can be requested non-streaming; absent if none can. */
  readonly maxNonStreamingTokens?: number;
  /**
   * Answers, as a stream unless the request wants a non-streaming answer. Events that arrive together are passed on
   * together. Resolves at the end of the answer. If `take` fails, it stops and fails with the same error.
   */
  chat(request: ProviderRequest, context: ProviderContext, take: TakeEvents): Promise<void>;
  /** Makes all embeddings or none. Absent: the provider has no embeddings. */
  embed?(request: EmbeddingRequest, context: ProviderContext): Promise<Embeddings>;
  /** Lists the provider's models with a free call. */
  models(context: ProviderContext): Promise<ListedModel[]>;
  /** Checks the key with a free call (`upstream_auth_failed`), if listing the models doesn't check it. */
  checkKey?(context: ProviderContext): Promise<void>;
}
