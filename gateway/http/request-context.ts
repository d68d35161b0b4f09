import { AppError, type ErrorCode, toAppError } from '#shared/errors.ts';
import { credentialIn } from '../access/auth/authorization-header.ts';
import { type Authorizer, requireActive, requireFeature, requireScope } from '../access/auth/authorize.ts';
import type { Principal } from '../access/auth/principal.ts';
import type { Limits, RateLimitLease } from '../access/limits/rate-limit-lease.ts';
import type { Overload } from '../access/overload/overload.ts';
import type { MemoryLease } from '../runtime/body/body-blocks.ts';
import { databaseFault } from '../storage/connection-loss.ts';
import { newId } from '../storage/id.ts';
import { errorFor } from './error-response.ts';
import type { AnswerWriter, HeaderFields, HttpExchange, RequestHead } from './exchange.ts';
import { getLimit, getPolicies, type RoutePolicy, toPath } from './policies.ts';

export interface RequestDeps {
  readonly authorizer: Authorizer;
  readonly limits: Limits;
  readonly draining: () => boolean;
  /** How many requests, and how much of their bodies, are taken at once. */
  readonly overload: Overload;
  /** Whether clients shall open their next connection to another instance. */
  readonly isRetiring: () => boolean;
  readonly version: string;
  readonly now: () => number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Failures whose cause the operator has to see, with the name of their log event. */
const failures: Partial<Record<ErrorCode, string>> = {
  internal_error: 'internal_error',
  server_overloaded: 'database_unreachable',
};

/** What the HTTP layer knows of a request. It grows while the request passes the checks; a refusal uses what is known by then. */
export class RequestContext {
  readonly requestId: string;
  readonly head: RequestHead;
  /** The client's own id of the request (`X-Client-Request-Id`). */
  readonly clientRequestId: string | null;
  readonly startedAt: number;
  /** The path of the request's policy, for the log: the request's own path could contain anything. */
  route: string | null = null;
  principal: Principal | null = null;
  /** On chat routes: what the request counts for in the rate limits. */
  rateLimitLease: RateLimitLease | null = null;
  /** The body's share of the memory for large bodies. */
  memoryLease: MemoryLease | null = null;
  readonly #deps: RequestDeps;

  constructor(head: RequestHead, deps: RequestDeps) {
    this.#deps = deps;
    this.head = head;
    this.startedAt = deps.now();
    this.requestId = newId('req', this.startedAt);
    this.clientRequestId = clientRequestId(head);
  }

  /** Makes all checks before a body is read, in the order of wire contract §3.3. Rejects with the reason for a refusal. */
  async admit(address: string | null): Promise<void> {
    const { head } = this;
    const { draining, overload, authorizer, limits } = this.#deps;
    checkTarget(head.target);
    const policy = policyFor(head.method, toPath(head.target));
    this.route = policy.path;
    checkHeaders(policy, head);
    const credential = credentialIn(head, policy.takesApiKeyHeader === true);
    const isChat = policy.access === 'chat';
    if (policy.access !== 'public') {
      if (draining()) throw shuttingDown();
      const refusal = overload.refusal(isChat, credential);
      if (refusal) throw refusal;
      try {
        const known = authorizer.authenticate(credential);
        const caller = known instanceof Promise ? await known : known;
        checkAccess(policy, caller);
        this.principal = caller;
      } catch (error) {
        throw await limits.refused(error, address);
      }
    }
    const { principal } = this;
    const entering =
      principal && isChat
        ? overload.enter(principal.accountId, Number(head.header('content-length') ?? 0), credential)
        : overload.enterOther(principal?.accountId ?? '');
    this.memoryLease = entering instanceof Promise ? await entering : entering;
    if (entering instanceof Promise && draining()) throw shuttingDown();
    if (principal) await this.#checkRateLimit(policy, principal, address);
  }

  /** Throws 429, after the checks of who asks and what that credential may do, and before anything of the body is read (§3.3). */
  async #checkRateLimit(policy: RoutePolicy, principal: Principal, address: string | null): Promise<void> {
    const { limits } = this.#deps;
    const limit = getLimit(policy);
    if (limit === 'read') await limits.read(principal, address);
    if (limit === 'verify') await limits.verify(address);
    if (limit !== 'chat') return;
    const lease = limits.chat(principal);
    this.rateLimitLease = lease instanceof Promise ? await lease : lease;
    const counted = this.rateLimitLease.acquire();
    if (counted !== undefined) await counted;
  }

  /** Sends a complete answer. `code`: why the request was refused or failed. */
  send(
    exchange: HttpExchange,
    status: number,
    headers: HeaderFields,
    text: string,
    code: ErrorCode | null = null,
  ): void {
    exchange.send(status, this.withCommonHeaders(headers), text);
    this.logAnswered(status, code);
  }

  /** Begins an answer that is written piece by piece. */
  open(exchange: HttpExchange, status: number, headers: HeaderFields): AnswerWriter {
    const writer = exchange.open(status, this.withCommonHeaders(headers));
    this.logAnswered(status, null);
    return writer;
  }

  /** Adds the headers of every answer to those that this one has of its own. */
  withCommonHeaders(own: HeaderFields): Record<string, string> {
    const headers = commonHeaders(this.requestId, this.#deps.version, own);
    this.rateLimitLease?.addHeaders(headers);
    if (this.#deps.isRetiring()) headers.connection = 'close';
    if (this.clientRequestId !== null) headers['x-client-request-id'] = this.clientRequestId;
    return headers;
  }

  /** Logs an answered request with the ids by which an operator finds whose it was, and never with its content. */
  logAnswered(status: number, code: ErrorCode | null): void {
    const { principal, clientRequestId: clientId } = this;
    this.#deps.log({
      event: 'request',
      request_id: this.requestId,
      ...(clientId ? { client_request_id: clientId } : {}),
      method: this.head.method,
      route: this.route,
      status,
      ...(code === null ? {} : { code }),
      ...(principal ? { account_id: principal.accountId, key_id: principal.credential.id } : {}),
      duration_ms: this.#deps.now() - this.startedAt,
    });
  }

  /** The error that the client gets; its cause goes to the log. A cause may contain SQL, but never a parameter. */
  toKnownError(error: unknown): AppError {
    const known = toAppError(databaseFault(error));
    const event = failures[known.code];
    const { cause } = known;
    if (event === undefined || cause === undefined || cause === null) return known;
    const isError = cause instanceof Error;
    this.#deps.log({
      event,
      level: 'error',
      request_id: this.requestId,
      message: isError ? cause.message : String(cause),
      stack: isError ? cause.stack : undefined,
    });
    return known;
  }

  /** Gives back what the request holds, unless the task of its answer does that. */
  async release(): Promise<void> {
    if (this.rateLimitLease?.isTaskRunning) return;
    this.memoryLease?.release();
    const released = this.rateLimitLease?.release(0);
    if (released !== undefined) await released;
  }
}

/** The headers that do not depend on the request's checks, with those that the answer has of its own. */
export const commonHeaders = (requestId: string, version: string, own: HeaderFields): Record<string, string> => ({
  'cache-control': 'no-store',
  ...own,
  'x-request-id': requestId,
  'x-portico-version': version,
  'x-content-type-options': 'nosniff',
});

/** The context of a request that passed the checks of a route which is not public. */
export interface AdmittedContext extends RequestContext {
  principal: Principal;
  memoryLease: MemoryLease;
}

function isAdmitted(context: RequestContext): context is AdmittedContext {
  return context.principal !== null && context.memoryLease !== null;
}

export type ExchangeHandler = (context: AdmittedContext, exchange: HttpExchange) => Promise<void>;

/** Answers exchanges: the checks, then the route's handler, and an error in its envelope. The function never rejects. */
export function createExchangeAnswerer(
  deps: RequestDeps,
  handlers: ReadonlyMap<string, ExchangeHandler>,
): (exchange: HttpExchange) => Promise<void> {
  return async (exchange) => {
    const context = new RequestContext(exchange, deps);
    try {
      await context.admit(exchange.address);
      const path = toPath(exchange.target);
      if (!isAdmitted(context)) throw new Error(`the route ${path} was not admitted`);
      await handlers.get(path)?.(context, exchange);
    } catch (error) {
      const known = context.toKnownError(error);
      const { status, headers, text } = errorFor(exchange.target, known, context.requestId);
      try {
        context.send(exchange, status, headers, text, known.code);
      } catch {
        exchange.destroy();
      }
    }
    await context.release();
  };
}

const shuttingDown = () =>
  new AppError('shutting_down', 'The gateway is shutting down. Try again in a moment.', { retryAfterMs: 1000 });

/** Whether a known caller may use a route. */
function checkAccess({ access, feature }: RoutePolicy, principal: Principal): void {
  if (access === 'any' || access === 'public') return;
  requireScope(principal, access);
  requireActive(principal);
  if (feature) requireFeature(principal, feature);
}

const urlLimit = 8192;

/** Refuses a URL (path and query) of more than 8 KiB, which no route needs (wire contract §7), and NUL characters. */
function checkTarget(target: string): void {
  if (target.includes('%00')) throw new AppError('malformed_request', 'The URL holds a NUL character.');
  if (target.length <= urlLimit) return;
  throw new AppError('request_too_large', `The URL is longer than ${urlLimit} characters.`, {
    details: { limit: urlLimit },
  });
}

/** Finds the policy of a request or throws 404 / 405: the first check, before anything is read (wire contract §3.3). */
export function policyFor(method: string, path: string): RoutePolicy {
  const policies = getPolicies(path);
  if (policies.length === 0) throw new AppError('unknown_endpoint', unknownEndpoint(path));
  const wanted = method === 'HEAD' ? 'GET' : method;
  const policy = policies.find((candidate) => candidate.method === wanted);
  if (policy) return policy;
  const allowed = allowedMethods(policies);
  throw new AppError('method_not_allowed', `This endpoint answers ${allowed.join(', ')} only.`, {
    details: { allowed },
  });
}

/** Checks content type, encoding and announced length: 415 and 413, before the credential is checked. */
function checkHeaders(policy: RoutePolicy, head: RequestHead): void {
  if (policy.body === 'json') checkMediaType(head);
  const length = Number(head.header('content-length') ?? 0);
  if (policy.method !== 'GET' && length > policy.bodyLimit) throw tooLarge(policy.bodyLimit);
}

export const tooLarge = (limit: number) =>
  new AppError('request_too_large', `The request body is larger than ${limit} bytes.`, { details: { limit } });

function checkMediaType(head: RequestHead): void {
  const type = (head.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new AppError('unsupported_media_type', 'Send the body as JSON with "Content-Type: application/json".');
  }
  const encoding = head.header('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== '') {
    throw new AppError('unsupported_content_encoding', 'Send the body without Content-Encoding.');
  }
}

const allowedMethods = (policies: readonly RoutePolicy[]): string[] =>
  policies.flatMap((policy) => (policy.method === 'GET' ? ['GET', 'HEAD'] : [policy.method]));

/** The caller's own id of a request: 1 to 128 visible ASCII characters; any other is as good as none (wire contract §1.0). */
export function clientRequestId(head: Pick<RequestHead, 'header'>): string | null {
  const id = head.header('x-client-request-id');
  return id !== null && isClientRequestId(id) ? id : null;
}

const isClientRequestId = (id: string): boolean => /^[\x21-\x7e]{1,128}$/.test(id);

/**
 * Paths that clients ask for and this gateway does not serve, each with a pointer to what it serves instead. The first that fits is used.
 */
const others: readonly (readonly [path: RegExp, sentence: string])[] = [
  [
    /^\/v1\/responses\/./,
    'This gateway keeps no responses: none can be retrieved, cancelled, deleted or compacted. POST /v1/responses answers; POST /v1/quote tells tokens and cost beforehand.',
  ],
  [/^\/v1\/conversations\b/, 'This gateway keeps no conversations: send all items in "input" of POST /v1/responses.'],
  [/^\/v1\/messages\/batches\b/, 'This gateway does not offer batches. Use POST /v1/messages, once for each request.'],
  [/^\/v1\/batches\b/, 'This gateway does not offer batches. Use POST /v1/chat/completions, once for each request.'],
  [
    /^\/v1\/comple(te|tions)$/,
    'This gateway does not offer the legacy completions API. Use POST /v1/chat/completions.',
  ],
  [
    /^\/v1\/(assistants|threads)\b/,
    'This gateway does not offer assistants or threads. Use POST /v1/responses, with all items in "input".',
  ],
  [
    /^\/v1\/files\b/,
    'This gateway stores no files. Send their content in the request: "file_data", "input_file" or a "document".',
  ],
];

const usual =
  'There is no such endpoint. Chat is at POST /chat, /v1/chat/completions, /v1/responses and /v1/messages, embeddings at POST /v1/embeddings, the list of models at GET /v1/models.';

/** The message of a 404 for this path. */
const unknownEndpoint = (path: string): string => others.find(([known]) => known.test(path))?.[1] ?? usual;
