import { AppError, type ErrorCode, toAppError } from '#shared/errors.ts';
import { credentialIn } from '../access/auth/authorization-header.ts';
import { type Authorizer, requireActive, requireFeature, requireScope } from '../access/auth/authorize.ts';
import type { Principal } from '../access/auth/principal.ts';
import type { Limits, RateLimitLease } from '../access/limits/rate-limit-lease.ts';
import type { Overload } from '../access/overload/overload.ts';
import type { BodyPlace } from '../runtime/body/body-blocks.ts';
import { andThen, type MaybePromise } from '../runtime/concurrency/awaitable.ts';
import { databaseFault } from '../storage/connection-loss.ts';
import { newId } from '../storage/id.ts';
import type { HeaderFields, RequestHead } from './exchange.ts';
import { getLimit, getPolicies, type RoutePolicy, toPath } from './policies.ts';

/** What clients ask for that is not served, and the nearest thing that is. The first that fits is told. */
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

/** What a 404 for this path says. */
const unknownEndpoint = (path: string): string => others.find(([known]) => known.test(path))?.[1] ?? usual;

export interface ReceiveDeps {
  readonly authorizer: Authorizer;
  readonly limits: Limits;
  readonly draining: () => boolean;
  /** Room for requests. */
  readonly overload: Overload;
  /** Clients shall open their next connection elsewhere. */
  readonly leaving: () => boolean;
  readonly version: string;
  readonly now: () => number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** A request on its way in: what is known of it so far, which a refusal says too. */
export interface Received {
  readonly requestId: string;
  readonly head: RequestHead;
  /** The caller's own id of it. */
  readonly clientRequestId: string | null;
  readonly startedAt: number;
  /** The path of its policy, for the log: the request's own could hold anything. */
  route: string | null;
  principal: Principal | null;
  /** On chat routes: the request's way through the limits. */
  pass: RateLimitLease | null;
  /** Its body's share of the memory for large ones. */
  place: BodyPlace | null;
}

export function receive(head: RequestHead, now: number): Received {
  const requestId = newId('req', now);
  return {
    requestId,
    head,
    clientRequestId: clientRequestId(head),
    startedAt: now,
    route: null,
    principal: null,
    pass: null,
    place: null,
  };
}

/** All checks before a body is read, in the order of wire contract §3.3. Throws or rejects with what refuses the request. */
export function admitReceived(received: Received, address: string | null, deps: ReceiveDeps): MaybePromise<void> {
  const { head } = received;
  checkTarget(head.target);
  const policy = policyFor(head.method, toPath(head.target));
  received.route = policy.path;
  checkHeaders(policy, head);
  const credential = credentialIn(head, policy.takesApiKeyHeader === true);
  if (policy.access !== 'public') requireRoom(deps, policy, credential);
  const refuse = async (error: unknown) => {
    throw await deps.limits.refused(error, address);
  };
  let principal: MaybePromise<Principal | null>;
  try {
    principal = admit(policy, credential, deps.authorizer);
  } catch (error) {
    return refuse(error);
  }
  const known = principal instanceof Promise ? principal.catch(refuse) : principal;
  return andThen(known, (caller) => enter(received, caller as Principal | null, policy, credential, address, deps));
}

/** Waits for the turn of a caller who is known, and goes with it through the limits. */
function enter(
  received: Received,
  principal: Principal | null,
  policy: RoutePolicy,
  credential: string | null,
  address: string | null,
  deps: ReceiveDeps,
): MaybePromise<void> {
  received.principal = principal;
  const entered = enterTurn(principal, policy, received.head, credential, deps.overload);
  return andThen(entered, (place) => {
    received.place = place;
    if (entered instanceof Promise && deps.draining()) throw shuttingDown();
    return principal ? enterLimits(received, principal, policy, address, deps.limits) : undefined;
  });
}

/** Room for a request as soon as it is its turn, before anything of its body is read. */
function enterTurn(
  principal: Principal | null,
  policy: RoutePolicy,
  head: RequestHead,
  credential: string | null,
  overload: Overload,
): MaybePromise<BodyPlace> {
  if (!principal || policy.access !== 'chat') return overload.enterOther(principal?.accountId ?? '');
  return overload.enter(principal.accountId, Number(head.header('content-length') ?? 0), credential);
}

/** What is refused before anything of it is looked at, because nothing can be done for it here and now. */
function requireRoom({ draining, overload }: ReceiveDeps, policy: RoutePolicy, credential: string | null): void {
  if (draining()) throw shuttingDown();
  const refusal = overload.refusal(policy.access === 'chat', credential);
  if (refusal) throw refusal;
}

const shuttingDown = () =>
  new AppError('shutting_down', 'The gateway is shutting down. Try again in a moment.', { retryAfterMs: 1000 });

/** The place of 429 in the order of §3.3: after who asks and what that may do, before anything of the body is read. */
function enterLimits(
  received: Received,
  principal: Principal,
  policy: RoutePolicy,
  address: string | null,
  limits: Limits,
): MaybePromise<void> {
  const limit = getLimit(policy);
  if (limit === 'read') return limits.read(principal, address);
  if (limit === 'verify') return limits.verify(address);
  if (limit !== 'chat') return undefined;
  return andThen(limits.chat(principal), (pass) => {
    received.pass = pass;
    return pass.enter();
  });
}

/** Gives back what a request holds that came to no answer of its own. */
export function release({ pass, place }: Received): MaybePromise<void> {
  if (pass?.running) return undefined;
  place?.leave();
  return pass?.leave(0);
}

/** The headers of every answer, over those that it has of its own. */
export function withCommonHeaders(
  { requestId, clientRequestId: echoed, pass }: Received,
  own: HeaderFields,
  { version, leaving }: Pick<ReceiveDeps, 'version' | 'leaving'>,
): Record<string, string> {
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    ...own,
    'x-request-id': requestId,
    'x-portico-version': version,
    'x-content-type-options': 'nosniff',
  };
  pass?.addHeaders(headers);
  if (leaving()) headers.connection = 'close';
  if (echoed !== null) headers['x-client-request-id'] = echoed;
  return headers;
}

/** The log's line of an answered request: ids, by which an operator finds who it was, and never what was said. */
export function logAnswered(
  received: Received,
  status: number,
  code: ErrorCode | null,
  { log, now }: ReceiveDeps,
): void {
  const { requestId, head, clientRequestId: echoed, route, principal, startedAt } = received;
  log({
    event: 'request',
    request_id: requestId,
    ...(echoed ? { client_request_id: echoed } : {}),
    method: head.method,
    route,
    status,
    ...(code === null ? {} : { code }),
    ...(principal ? { account_id: principal.accountId, key_id: principal.credential.id } : {}),
    duration_ms: now() - startedAt,
  });
}

/** What an operator has to be told the cause of, and under which name. */
const failures: Partial<Record<ErrorCode, string>> = {
  internal_error: 'internal_error',
  server_overloaded: 'database_unreachable',
};

/** What failed, as the caller is told it; its cause goes to the log. A cause may hold SQL, never a parameter. */
export function knownError(error: unknown, { requestId }: Received, { log }: ReceiveDeps): AppError {
  const known = toAppError(databaseFault(error));
  const event = failures[known.code];
  const { cause } = known;
  if (event === undefined || cause === undefined || cause === null) return known;
  const isError = cause instanceof Error;
  log({
    event,
    level: 'error',
    request_id: requestId,
    message: isError ? cause.message : String(cause),
    stack: isError ? cause.stack : undefined,
  });
  return known;
}

const urlLimit = 8192;

/** Refuses a URL (path and query) of more than 8 KiB, which nothing here needs (wire contract §7), and NUL characters. */
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

/** Content type, encoding and announced length: 415 and 413, before the credential is looked at. */
function checkHeaders(policy: RoutePolicy, head: RequestHead): void {
  if (policy.body === 'json') checkMediaType(head);
  const length = Number(head.header('content-length') ?? 0);
  if (policy.method !== 'GET' && length > policy.bodyLimit) throw tooLarge(policy.bodyLimit);
}

export const tooLarge = (limit: number) =>
  new AppError('request_too_large', `The request body is larger than ${limit} bytes.`, { details: { limit } });

/** Who asks and whether that is enough for this route. Null on public routes. */
export function admit(
  policy: RoutePolicy,
  header: string | null,
  authorizer: Authorizer,
): MaybePromise<Principal | null> {
  if (policy.access === 'public') return null;
  return andThen(authorizer.authenticate(header), (principal) => permit(policy, principal));
}

function permit({ access, feature }: RoutePolicy, principal: Principal): Principal {
  if (access === 'any' || access === 'public') return principal;
  requireScope(principal, access);
  requireActive(principal);
  if (feature) requireFeature(principal, feature);
  return principal;
}

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
