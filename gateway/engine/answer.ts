import type { AppError } from '#shared/errors.ts';
import type { NanoUsd } from '#shared/money.ts';
import type { TokenUsage } from '#shared/price.ts';
import type { ChatMessage, RouteControls } from '#shared/wire/chat-request.ts';
import type { FinishReason, Routing, Warning } from '#shared/wire/chat-response.ts';
import type { Principal } from '../access/auth/principal.ts';
import type { Secret } from '../access/auth/secret.ts';
import type { ClientTools } from '../providers/content/client-tools.ts';
import type { Packed } from '../providers/packed-request.ts';
import type { ProviderEvent, ProviderRequest, Served } from '../providers/provider.ts';
import type { MaybePromise } from '../runtime/concurrency/awaitable.ts';
import type { StopSignal } from '../runtime/concurrency/stop-signal.ts';
import type { RoutingFacts } from './routing/eligibility.ts';

/** A chat request in either form, checked and brought into one shape. */
export interface Question {
  readonly requestId: string;
  readonly principal: Principal;
  readonly provider: string | null;
  readonly model: string | null;
  /** What it is decided by of the conversation. */
  readonly facts: RoutingFacts;
  /** Empty where the request is `packed`. */
  readonly messages: readonly ChatMessage[];
  /** The long parts of a large request, which no thread but the workshop's ever opens; null of all others. */
  readonly packed: Packed | null;
  /** The messages in JSON as they were sent, where they are text and nothing else; null for all others. */
  readonly messagesJson: Uint8Array | null;
  readonly maxTokens: number | null;
  readonly parameters: ProviderRequest['parameters'];
  /** OpenAI's fields that only its own models know; dropped with a warning elsewhere. */
  readonly openaiOnly: Readonly<Record<string, unknown>>;
  /** Functions that tools of the caller's became; absent where there are none. */
  readonly clientTools?: ClientTools;
  readonly route: RouteControls;
  readonly sessionId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The caller's own provider key, for this request only (wire contract §6). */
  readonly byoKey: Secret | null;
  /** The caller wants the answer while it comes. */
  readonly stream: boolean;
  /** Adds every candidate to the explanation. */
  readonly fullRouting: boolean;
  readonly warnings: readonly Warning[];
}

/**
 * What an answer is made of. `route` comes first, with the first thing the model says; `finish` comes last, after the
 * request was settled, so that its cost is the one in the books.
 */
export type AnswerPart =
  | {
      readonly type: 'route';
      readonly provider: string;
      readonly model: string;
      readonly attempts: number;
      /** One line for the `route` header. */
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
      /** What the upstream is expected to bill, whoever pays; 0 where no price is known. */
      readonly upstreamCost: NanoUsd;
      readonly estimated: boolean;
      readonly byok: boolean;
      readonly routing: Routing;
      /** Whoever follows the answer may add to it. */
      readonly warnings: Warning[];
    };

/** Follows an answer from the engine's side, whether or not its reader stays to the end. */
export interface AnswerObserver {
  /** All parts, before their reader gets them; they wait for the promise. */
  readonly parts?: ((parts: readonly AnswerPart[]) => Promise<void> | undefined) | undefined;
  /** Before the books are closed, once more where its provider says otherwise: how many tokens were used. */
  measured?(tokens: number): void;
  /** Nothing more comes of an answer whose books stay open: its provider is asked what it cost. `ended` follows. */
  left?(error: AppError): void;
  /** Once, when the books are closed: how many tokens were used, and the error where there is no whole answer. */
  ended(tokens: number, error: unknown): MaybePromise<void>;
}

/** Whoever an answer is for: gets its parts as they come, those that came together in one call, and then one end. */
export interface AnswerSink {
  /** A promise where the reader has to catch up first: until then the upstream waits. */
  take(parts: readonly AnswerPart[]): Promise<void> | undefined;
  /** The answer is whole; `finish` was its last part. */
  end(): void;
  /** There is no whole answer. Nothing follows. */
  fail(error: unknown): void;
}

/** Everything between a checked request and its answer, without HTTP. */
export interface Engine {
  /**
   * Answers a question to a reader. It fails with an `AppError`: before the first part where no upstream answered, later where
   * one broke off. Aborting `client` says that the reader has left: the upstream is hung up on, or read to its end without it,
   * and the books are closed either way.
   */
  answer(question: Question, client: StopSignal, reader: AnswerSink, watcher?: AnswerObserver): void;
}
