import { type Context, Hono } from 'hono';
import { AppError, type ErrorCode, toAppError } from '#shared/errors.ts';
import type { Authorizer } from '../auth/authorize.ts';
import type { Principal } from '../auth/principal.ts';
import type { BodyPlace } from '../body/body-budget.ts';
import { databaseFault } from '../db/connection-loss.ts';
import { newId } from '../db/id.ts';
import type { Limits } from '../limits/limits.ts';
import { createOverload, type Overload } from '../overload/overload.ts';
import { clientRequestId } from './client-request-id.ts';
import type { AppEnv } from './context.ts';
import { errorResponse } from './error-response.ts';
import { limitOf, normalPath, type RoutePolicy, requirePolicies } from './policies.ts';
import { admit, checkHeaders, checkUrl, policyFor } from './route-admission.ts';

export interface AppDeps {
  readonly authorizer: Authorizer;
  readonly limits: Limits;
  /** Each part mounts its handlers at the full paths of `policies.ts`. */
  readonly routes: readonly Hono<AppEnv>[];
  readonly draining: () => boolean;
  /** Room for requests; without it, as much as a process of its own has. */
  readonly overload?: Overload;
  /** Clients shall open their next connection elsewhere. */
  readonly leaving?: () => boolean;
  readonly version: string;
  readonly now: () => number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** The place of 429 in the order of §3.3: after who asks and what that may do, before anything of the body is read. */
async function withinLimits(context: Context<AppEnv>, policy: RoutePolicy, principal: Principal, limits: Limits) {
  const limit = limitOf(policy);
  if (limit === 'read') await limits.read(principal);
  if (limit === 'verify') await limits.verify(context.env?.address ?? null);
  if (limit !== 'chat') return;
  const pass = await limits.chat(principal);
  context.set('pass', pass);
  await pass.enter();
}

/** The path of an absolute URL, without the cost of parsing all of it. */
function pathOf({ url }: Request): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const end = url.slice(start).search(/[?#]/);
  return normalPath(start < 0 ? '/' : end < 0 ? url.slice(start) : url.slice(start, start + end));
}

/** The gateway as one fetch handler: admission in the order of wire contract §3.3, then the route, then the headers. */
export function createApp(deps: AppDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ getPath: pathOf });
  const overload = deps.overload ?? createOverload({ statements: () => 0 });

  app.use('*', async (context, next) => {
    const requestId = newId('req', deps.now());
    const started = deps.now();
    context.set('requestId', requestId);
    await next();
    const headers = context.res.headers;
    headers.set('x-request-id', requestId);
    headers.set('x-portico-version', deps.version);
    headers.set('x-content-type-options', 'nosniff');
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
    if (headers.get('content-type') === 'application/json')
      headers.set('content-type', 'application/json; charset=utf-8');
    for (const [name, value] of Object.entries(context.get('pass')?.headers() ?? {})) headers.set(name, value);
    if (deps.leaving?.()) headers.set('connection', 'close');
    const echoed = clientRequestId(context.req.raw.headers);
    if (echoed) headers.set('x-client-request-id', echoed);
    deps.log({
      event: 'request',
      request_id: requestId,
      ...(echoed ? { client_request_id: echoed } : {}),
      method: context.req.method,
      route: context.get('route') ?? null,
      status: context.res.status,
      ...codeOf(context),
      ...callerOf(context.get('principal')),
      duration_ms: deps.now() - started,
    });
  });

  app.use('*', async (context, next) => {
    checkUrl(context.req.url);
    const policy = policyFor(context.req.method, context.req.path);
    context.set('route', policy.path);
    checkHeaders(policy, context.req.raw.headers);
    if (policy.access !== 'public') requireRoom(deps, overload, policy, context);
    const address = context.env?.address ?? null;
    const principal = await admit(policy, context.req.header('authorization') ?? null, deps.authorizer).catch(
      async (error: unknown) => {
        throw await deps.limits.refused(error, address);
      },
    );
    if (principal) context.set('principal', principal);
    const place = await enter(deps, overload, policy, context, principal);
    context.set('place', place);
    if (principal) {
      await withinLimits(context, policy, principal, deps.limits).catch((error: unknown) => {
        place.leave();
        throw error;
      });
    }
    await next();
    const pass = context.get('pass');
    if (pass?.running) return;
    place.leave();
    await pass?.leave(0);
  });

  for (const routes of deps.routes) app.route('/', requirePolicies(routes));

  app.onError((error, context) => {
    const known = toAppError(databaseFault(error));
    context.set('code', known.code);
    if (known.code in failures && known.cause) logFailure(deps.log, context.get('requestId'), known);
    const response = errorResponse(known, context.get('requestId'));
    if (known.code === 'method_not_allowed') response.headers.set('allow', allowOf(known));
    return response;
  });
  return app;
}

/** What is refused before anything of it is looked at, because nothing can be done for it here and now. */
function requireRoom({ draining }: AppDeps, overload: Overload, policy: RoutePolicy, { req }: Context<AppEnv>): void {
  if (draining()) throw shuttingDown();
  const refusal = overload.refusal(policy.access === 'chat', req.header('authorization') ?? null);
  if (refusal) throw refusal;
}

/** Waits for the request's turn, before anything of its body is read. */
async function enter(
  { draining }: AppDeps,
  overload: Overload,
  policy: RoutePolicy,
  { req }: Context<AppEnv>,
  principal: Principal | null,
): Promise<BodyPlace> {
  if (!principal || policy.access !== 'chat') return overload.enterOther(principal?.accountId ?? '');
  const bytes = Number(req.header('content-length') ?? 0);
  const place = await overload.enter(principal.accountId, bytes, req.header('authorization') ?? null);
  if (!draining()) return place;
  place.leave();
  throw shuttingDown();
}

const shuttingDown = () =>
  new AppError('shutting_down', 'The gateway is shutting down. Try again in a moment.', { retryAfterMs: 1000 });

const allowOf = (error: AppError) => (error.details?.allowed as string[] | undefined)?.join(', ') ?? '';

const codeOf = (context: Context<AppEnv>) => {
  const code = context.get('code');
  return code === undefined ? {} : { code };
};

/** Ids, by which an operator finds who it was; a public route has none. */
const callerOf = (principal: Principal | undefined) =>
  principal ? { account_id: principal.accountId, key_id: principal.credential.id } : {};

/** What an operator has to be told the cause of, and under which name. */
const failures: Partial<Record<ErrorCode, string>> = {
  internal_error: 'internal_error',
  server_overloaded: 'database_unreachable',
};

/** The message and the stack stay in the log; a cause may hold SQL, never a parameter. */
function logFailure(log: AppDeps['log'], requestId: string, { code, cause }: AppError): void {
  log({
    event: failures[code],
    level: 'error',
    request_id: requestId,
    message: cause instanceof Error ? cause.message : String(cause),
    stack: cause instanceof Error ? cause.stack : undefined,
  });
}
