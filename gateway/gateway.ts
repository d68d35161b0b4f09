import type { AppError } from '#shared/errors.ts';
import type { WorkLimits } from './access/overload/overload.ts';
import type { FoundationOptions } from './composition/open-foundation.ts';
import type { ModelOptions } from './composition/open-models.ts';
import type { UpkeepOptions } from './composition/start-upkeep.ts';
import type { EngineTimeouts } from './engine/engine.ts';
import type { ConnectionInfo } from './http/door.ts';
import type { HttpExchange } from './http/exchange.ts';
import type { Administrator, Operator } from './operations/operator/operator.ts';
import type { KeyState } from './providers/key-order.ts';
import type { ProviderCredential } from './providers/provider.ts';

export interface GatewayOptions extends FoundationOptions, ModelOptions, UpkeepOptions {
  /** What is asked for answers on a caller's own key, in basis points of their cost (wire contract §6); else nothing. */
  readonly byokFeeBps?: number;
  /** How long signed reasoning is kept for clients that drop it; 0 keeps none, an hour where it is absent (docs/decisions/051). */
  readonly reasoningMs?: number;
  /** Calls upstreams in place of connections of its own: the platform's in the app, a double in tests. */
  readonly fetch?: typeof fetch;
  /** Other limits than those of the wire contract. */
  readonly timeouts?: Partial<EngineTimeouts>;
  /** From where on requests are refused because there is too much to do. */
  readonly workLimits?: Partial<WorkLimits>;
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
  /** False: no line is made for a request that was answered as it should be. */
  readonly logsAll?: boolean;
}

/** A running gateway, without a socket: the app calls `fetch`, the stand-alone server puts a port before it. */
export interface Gateway {
  fetch(request: Request, door?: ConnectionInfo): Promise<Response>;
  /** What an operator may do; never reachable by HTTP. */
  readonly operator: Operator;
  /** Gives a provider its credential, replaces it, or takes it away; one with a `server` adds a server of this name. */
  setProvider(id: string, credential: ProviderCredential | null): void;
  /** Asks a provider whether a credential works, by a free call. Throws an `AppError` with an upstream code. */
  checkProvider(id: string, credential: ProviderCredential, signal?: AbortSignal): Promise<void>;
  /** Resolves once the models that a provider lists are known. Throws an `AppError` with an upstream code. */
  refreshModels(id: string): Promise<void>;
  /** How several keys of a provider do, in their order, by label and last characters; none where it has one at most. */
  keyStates(id: string): readonly KeyState[];
  /** Refuses new requests, waits for the running ones at most this long, then aborts and settles them. */
  drain(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

/** A gateway with all that its own process may do. */
export interface OwnGateway extends Gateway {
  readonly operator: Administrator;
  /** Answers a chat over whatever carries it; never rejects. */
  answerChat(exchange: HttpExchange): Promise<void>;
  /** Why a chat cannot be taken now, before it is looked at; null: give it to `answerChat`. Counts what it refuses. */
  shed(target: string, authorization: string | null): AppError | null;
  /** Says at `/readyz` that it will go, and asks clients for new connections; still serves until it is drained. */
  retire(): void;
  /** What is counted, in Prometheus' text format. */
  metrics(): string;
}
