import type { AppError } from '#shared/errors.ts';
import type { WorkLimits } from './access/overload/overload.ts';
import type { FoundationOptions } from './composition/open-foundation.ts';
import type { ModelOptions } from './composition/open-models.ts';
import type { UpkeepOptions } from './composition/start-upkeep.ts';
import type { EngineTimeouts } from './engine/engine.ts';
import type { ConnectionInfo, HttpExchange } from './http/exchange.ts';
import type { Administrator, Operator } from './operations/operator/operator.ts';
import type { KeyState } from './providers/key-order.ts';
import type { ProviderCredential } from './providers/provider.ts';

export interface GatewayOptions extends FoundationOptions, ModelOptions, UpkeepOptions {
  /** The operator's fee for answers on a caller's own key, in basis points of their cost (wire contract §6). Absent: none. */
  readonly byokFeeBps?: number;
  /** How long signed reasoning is stored for clients that drop it. 0 stores none; the default is an hour (docs/decisions/051). */
  readonly reasoningMs?: number;
  /** Replaces the gateway's own connections to upstreams: the platform's `fetch` in the app, a double in tests. */
  readonly fetch?: typeof fetch;
  /** Replaces limits of the wire contract. */
  readonly timeouts?: Partial<EngineTimeouts>;
  /** The load from which on requests are refused. */
  readonly workLimits?: Partial<WorkLimits>;
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
  /** False: only refused and failed requests are logged. */
  readonly logsAll?: boolean;
}

/** A running gateway without a socket: the app calls `fetch`, the stand-alone server listens on a port. */
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
  /** The state of a provider's keys in their order, by label and last characters. Empty when it has one key at most. */
  keyStates(id: string): readonly KeyState[];
  /** Refuses new requests, waits for the running ones for at most this time, then aborts and settles them. */
  drain(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

/** A gateway with everything that its own process may do. */
export interface OwnGateway extends Gateway {
  readonly operator: Administrator;
  /** Answers a chat over any exchange; never rejects. */
  answerChat(exchange: HttpExchange): Promise<void>;
  /** Returns why a chat cannot be taken now, before it is read. Null: give it to `answerChat`. Counts the refusals. */
  shed(target: string, authorization: string | null): AppError | null;
  /** Reports at `/readyz` that it will stop, and asks clients for new connections; still serves until it is drained. */
  retire(): void;
  /** The metrics in Prometheus' text format. */
  metrics(): string;
}
