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

/** What it takes to reach a provider. `apiKey: null`: a server that wants none, such as a local one. */
export interface ProviderCredential {
  readonly apiKey: Secret | null;
  readonly baseUrl: string;
  /** Whether an answer whose client left is broken off (the default) or read to its end (wire contract §1.4.8). */
  readonly onDisconnect?: 'abort' | 'drain';
  /**
   * Whether it may be handed addresses to fetch by itself. Unless it is said: only a vendor at its own address, who fetches
   * from its own network, never a server that could reach the operator's.
   */
  readonly mayFetch?: boolean;
  /** All of several keys, in the order in which they are asked with; `apiKey` is the first. */
  readonly keys?: readonly ProviderKey[];
  /** Sent with every request besides what the provider wants; they may be secrets, and override nothing of its own. */
  readonly headers?: ReadonlyMap<string, Secret>;
  /** Of a server that has a name of its owner's choosing: what it is called and what it speaks. */
  readonly server?: NamedServer;
  /** What is said here of models, besides what the server lists itself. */
  readonly models?: readonly DeclaredModel[];
}

/** One of several keys of a provider. */
export interface ProviderKey {
  /** What its owner calls it. */
  readonly label: string;
  readonly secret: Secret;
}

export interface NamedServer {
  readonly name: string;
  readonly kind: ServerKind;
  /** Azure only: asks its deployments by their own paths, as of this date; null: by `/openai/v1`. */
  readonly apiVersion: string | null;
}

/** A model that a server has, whether it lists it or not. */
export interface DeclaredModel {
  /** As the server names it; with Azure, its deployment. */
  readonly model: string;
  /** The model that it is, as `provider/model` of the price book: what is known of that one holds for it. */
  readonly sameAs: string | null;
  /** What it costs there; null: as the server says, else as the model that it is. */
  readonly price: PriceFields | null;
  /** The day on which its owner said so (`YYYY-MM-DD`, UTC); else the day on which the list is read. */
  readonly priceAsOf?: string;
}

/** A chat request as every adapter gets it: OpenAI's shape, one concrete model, limits already decided. */
export interface ProviderRequest {
  readonly model: string;
  /** Empty where the request is `packed`. */
  readonly messages: readonly ChatMessage[];
  /** The messages and other long parts of a large request: `upstreamBody` writes its body without opening them here. */
  readonly packed?: Packed | null;
  /** What is wanted back with calls that came without it. */
  readonly recalled?: CallState | null;
  /** The pictures and files that it names by their address, where its provider may not fetch them itself. */
  readonly fetched?: FetchedFiles | null;
  /** The messages in OpenAI's JSON, where nothing of it has to be changed: saves spelling a long prompt again. */
  readonly messagesJson?: Uint8Array | null;
  /** All of the answer is wanted at once. */
  readonly whole?: boolean;
  /** What is known of the model; absent of one that only its server knows. */
  readonly facts?: ModelFacts | null;
  /** By which of its vendor's APIs the model is to be asked, where there are several; decided by its facts (`fitting/fit-request.ts`). */
  readonly api?: 'chat_completions' | 'responses';
  /** What is to be changed in its long parts, so that the model takes them; done by whoever writes the body. */
  readonly changes?: LongChanges | null;
  /** Null: leave it to the provider, where it allows that. */
  readonly maxTokens: number | null;
  /** Functions that tools of the caller's became, for OpenAI's Responses API, which has tools of these kinds. */
  readonly clientTools?: ClientTools;
  /** OpenAI's own further fields, for its own models; every other adapter ignores them. */
  readonly openaiOnly: Readonly<Record<string, unknown>>;
  /** All further fields of the request, as sent. */
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

/** What an upstream says of how it answered, where it says so. The tier of service decides the price. */
export interface Served {
  readonly serviceTier?: string;
  readonly systemFingerprint?: string;
  /** Tokens of the caller's prediction that the answer has, and that it does not. */
  readonly acceptedPredictionTokens?: number;
  readonly rejectedPredictionTokens?: number;
}

/**
 * What an answer is made of, whoever wrote it. The first event means that the upstream has begun to answer. `usage` is
 * cumulative: each replaces the one before. `finish` is given only where the upstream said that it was complete.
 */
export type ProviderEvent =
  | { readonly type: 'start' }
  | {
      readonly type: 'text-delta';
      readonly text: string;
      /** OpenAI's own object for this piece of text, where it was asked for. The text may then be empty. */
      readonly logprobs?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'reasoning-delta';
      /** Empty where only a signature comes. */
      readonly text: string;
      /** The same with its vendor's signature and place; absent where there is neither. */
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
      /** What the upstream says that the request costs, where it says so. */
      readonly cost?: NanoUsd;
    }
  /** The provider searches the web: one search that it charges for. Its `usage` counts them once more. */
  | { readonly type: 'search' }
  /** An image that the model made: a base64 data URL, or the https address of one. */
  | { readonly type: 'image'; readonly url: string }
  /** Sources that what was said refers to, in OpenAI's words. */
  | { readonly type: 'annotations'; readonly annotations: readonly Readonly<Record<string, unknown>>[] }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly served?: Served };

/** What an answer has cost by its provider's own account. */
export type Bill = Required<Extract<ProviderEvent, { type: 'usage' }>>;

/** Asks for it once. Null: it is not told. Fails with `AppError`, also where it is not known yet. */
export type AskBill = (signal: StopSignal) => Promise<Bill | null>;

export interface ProviderContext {
  readonly credential: ProviderCredential;
  readonly signal: StopSignal;
  readonly fetch: UpstreamFetch;
  /** How long the upstream may be silent in the middle of a stream. */
  readonly silentMs?: number;
  /** Called where the upstream answers bit by bit although all was asked for at once. */
  readonly answersInParts?: () => void;
  /** Called where all of the answer is asked for at once although it was wanted bit by bit: it begins where it ends. */
  readonly answersNonStreaming?: () => void;
  /** Called where the provider can be asked afterwards what an answer cost that is broken off. */
  readonly tellsBill?: (ask: AskBill) => void;
}

/** Gets what an answer is made of, as it comes; while its promise is open the upstream waits. */
export type TakeEvents = (events: readonly ProviderEvent[]) => Promise<void> | undefined;

/** A model that a server lists by itself (OpenAI-compatible servers), with what it says of it. Null or absent: it says nothing. */
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
  /** How much it can be asked to think, where its vendor lists that. */
  readonly efforts?: readonly Effort[] | null;
  /** It makes embeddings and does not chat. */
  readonly embeds?: boolean;
}

/**
 * An upstream AI service. Fails with `AppError` of an upstream code. It asks again by itself only where the upstream refused a
 * part of the request that the answer can do without.
 */
export interface Provider {
  readonly id: string;
  readonly name: string;
  /** This provider refuses requests without `maxTokens`, so it is always given one. */
  readonly needsMaxTokens?: boolean;
  /** It signs its reasoning before tool calls, and wants it back with them (`extra_content`). */
  readonly signsReasoning?: boolean;
  /** When it counts what an answer used: all of it last, or along with each piece. Absent: the input first and the output last. */
  readonly counts?: 'last' | 'along';
  /** Where it shows what a model thinks, it shows all of it; else a summary, or nothing. */
  readonly showsThinking?: boolean;
  /** It can fetch images by their address; where it cannot or may not, it is given the bytes (`provider-guards.ts`). */
  readonly fetchesImages?: boolean;
  /** It says itself what each answer cost. */
  readonly reportsCost?: boolean;
  /** It can be asked for all of an answer at once, if that has so many tokens at most; absent: for none. */
  readonly wholeAnswerTokens?: number;
  /**
   * Answers, as a stream unless the request wants the whole at once: what arrived together is given together. Resolves when there is nothing more to come; stops where `take` fails, and fails with what that said.
   */
  chat(request: ProviderRequest, context: ProviderContext, take: TakeEvents): Promise<void>;
  /** Makes embeddings, all of them or none. Absent: it has none. */
  embed?(request: EmbeddingRequest, context: ProviderContext): Promise<Embeddings>;
  /** Lists the provider's models: a free call. */
  models(context: ProviderContext): Promise<ListedModel[]>;
  /** A free call that tells whether the key works (`upstream_auth_failed`), where listing the models does not. */
  checkKey?(context: ProviderContext): Promise<void>;
}
