import type { AppError } from '#shared/errors.ts';
import type { NanoUsd } from '#shared/money.ts';
import type { TokenUsage } from '#shared/price.ts';
import type { ChatMessage, RouteControls } from '#shared/wire/chat-request.ts';
import type { CostBreakdown, FinishReason, Routing, Warning } from '#shared/wire/chat-response.ts';
import type { Principal } from '../access/auth/principal.ts';
import type { Secret } from '../access/auth/secret.ts';
import type { ClientTools } from '../providers/content/client-tools.ts';
import type { Packed } from '../providers/packed-request.ts';
import type { ProviderEvent, ProviderRequest, Served } from '../providers/provider.ts';
import type { MaybePromise } from '../runtime/concurrency/awaitable.ts';
import type { StopSignal } from '../runtime/concurrency/stop-signal.ts';
import type { RoutingFacts } from './routing/eligibility.ts';

/** The tools of a request that its client knows as OpenAI's custom tools and every model as functions. */
export interface CustomTools {
  readonly names: readonly string[];
  /** Some of these tools want a text that follows a grammar. The model gets the grammar as an instruction. */
  readonly inWords: boolean;
}

/** What an answer repeats of its request. Fields that may be long are repeated only for a short request. */
export interface Echo {
  readonly short: Readonly<Record<string, unknown>>;
  readonly long: Readonly<Record<string, unknown>>;
}

/** The parsed body of a chat, the same for every API, with its sender. */
export interface ChatRequest {
  readonly requestId: string;
  readonly principal: Principal;
  readonly provider: string | null;
  readonly model: string | null;
  /** The facts about the conversation that routing and fitting need. */
  readonly facts: RoutingFacts;
  /** Empty when the request is `packed`. */
  readonly messages: readonly ChatMessage[];
  /** The long parts of a large request, which only worker threads open. Null for a small request. */
  readonly packed: Packed | null;
  /** The messages in JSON as the client sent them, when they contain only text. Null for other messages. */
  readonly messagesJson: Uint8Array | null;
  readonly maxTokens: number | null;
  readonly parameters: ProviderRequest['parameters'];
  /** OpenAI's fields that only OpenAI's own models know. For other models they are dropped with a warning. */
  readonly openaiOnly: Readonly<Record<string, unknown>>;
  /** The functions that stand for the client's own kinds of tools. Absent when there are none. */
  readonly clientTools?: ClientTools;
  readonly route: RouteControls;
  readonly sessionId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The caller's own provider key, for this request only (wire contract §6). */
  readonly byoKey: Secret | null;
  /** Whether the client wants the answer as a stream. */
  readonly stream: boolean;
  /** Whether the answer's `routing` lists every candidate. */
  readonly fullRouting: boolean;
  readonly warnings: readonly Warning[];
  /** `stream_options.include_usage`: usage in a chunk of its own (wire contract §1.3). */
  readonly includeUsage: boolean;
  readonly customTools: CustomTools;
  /** A digest of the body without the caller's provider key, for `Idempotency-Key`. Null when the request has no such key. */
  readonly digest: string | null;
  /** What the answer repeats of the request. Null when it repeats nothing. */
  readonly echo: Echo | null;
}

/**
 * What an answer is made of. `route` comes first, together with the model's first output. `finish` comes last, after the request was
 * settled, so that its cost is the one in the ledger.
 */
export type AnswerPart =
  | {
      readonly type: 'route';
      readonly provider: string;
      readonly model: string;
      readonly attempts: number;
      /** One line for the header `x-portico-route`. */
      readonly summary: string;
    }
  | Extract<
      ProviderEvent,
      {
        type:
          | 'text-delta'
          | 'reasoning-delta'
          | 'refusal-delta'
          | 'tool-call-start'
          | 'tool-call-delta'
          | 'image'
          | 'annotations';
      }
    >
  | {
      readonly type: 'finish';
      readonly reason: FinishReason;
      readonly served?: Served;
      readonly usage: TokenUsage;
      /** What the account was charged. */
      readonly cost: NanoUsd;
      /** What the upstream is expected to charge, whoever pays it. Null when no price is known. */
      readonly upstreamCost: NanoUsd | null;
      readonly estimated: boolean;
      /** What the cost is made of; with the caller's own key, what the provider's cost is made of. Absent when nobody reads it. */
      readonly costBreakdown?: CostBreakdown;
      readonly byok: boolean;
      readonly routing: Routing;
      /** An observer of the answer may add to the list. */
      readonly warnings: Warning[];
    };

/** Observes an answer on the engine's side, even when its client has disconnected. */
export interface AnswerObserver {
  /** Gets all parts before the client does. The parts wait for the returned promise. */
  readonly parts?: ((parts: readonly AnswerPart[]) => Promise<void> | undefined) | undefined;
  /** Called before the request is settled with the tokens that it used, and again when the provider reports another number. */
  measured?(tokens: number): void;
  /**
   * Called when the client gets no more parts, although the request is not settled yet: its provider is asked what it cost. `ended`
   * follows.
   */
  detached?(error: AppError): void;
  /** Called once, when the request is settled. `error` is null for a complete answer. */
  ended(tokens: number, error: unknown): MaybePromise<void>;
}

/** Receives the parts of an answer as they come, parts that came together in one call, and then one end. */
export interface AnswerSink {
  /** Returns a promise when the client has to catch up first; the upstream waits for it. */
  take(parts: readonly AnswerPart[]): Promise<void> | undefined;
  /** The answer is complete; `finish` was its last part. */
  end(): void;
  /** There is no complete answer. Nothing follows. */
  fail(error: unknown): void;
}

/** Answers checked requests, without knowing HTTP. */
export interface Engine {
  /**
   * Answers a request into a sink. Fails with an `AppError`: before the first part when no upstream answered, later when one broke off.
   * Aborting `client` means that the client has disconnected: the upstream connection is closed, or read to its end without the client, and
   * the request is settled either way.
   */
  answer(request: ChatRequest, client: StopSignal, sink: AnswerSink, observer?: AnswerObserver): void;
}
