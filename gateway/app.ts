import { Hono } from 'hono';
import { AppError, toAppError } from '#shared/errors.ts';
import type { Authorizer } from './auth/authorize.ts';
import { newId } from './lib/id.ts';
import { admit, checkHeaders, checkUrl, policyFor } from './routes/admission.ts';
import type { AppEnv } from './routes/context.ts';
import { errorResponse } from './routes/error-response.ts';
import { normalPath } from './routes/policies.ts';

export interface AppDeps {
  readonly authorizer: Authorizer;
  /** Each part mounts its handlers at the full paths of `policies.ts`. */
  readonly routes: readonly Hono<AppEnv>[];
  readonly draining: () => boolean;
  readonly version: string;
  readonly now: () => number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
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
    const echoed = clientRequestId(context.req.raw.headers);
    if (echoed) headers.set('x-client-request-id', echoed);
    deps.log({
      event: 'request',
      request_id: requestId,
      ...(echoed ? { client_request_id: echoed } : {}),
      method: context.req.method,
      route: context.get('route') ?? null,
      status: context.res.status,
      duration_ms: deps.now() - started,
    });
  });

  app.use('*', async (context, next) => {
    checkUrl(context.req.url);
    const policy = policyFor(context.req.method, context.req.path);
    context.set('route', policy.path);
    checkHeaders(policy, context.req.raw.headers);
    if (deps.draining() && policy.access !== 'public') throw shuttingDown();
    const principal = await admit(policy, context.req.header('authorization') ?? null, deps.authorizer);
    if (principal) context.set('principal', principal);
    await next();
  });

  for (const routes of deps.routes) app.route('/', routes);

  app.onError((error, context) => {
    const known = toAppError(error);
    if (known.code === 'internal_error') logFailure(deps.log, context.get('requestId'), error);
    const response = errorResponse(known, context.get('requestId'));
    if (known.code === 'method_not_allowed') response.headers.set('allow', allowOf(known));
    return response;
  });
  return app;
}

const shuttingDown = () =>
  new AppError('shutting_down', 'The gateway is shutting down. Try again in a moment.', { retryAfterMs: 1000 });

const allowOf = (error: AppError) => (error.details?.allowed as string[] | undefined)?.join(', ') ?? '';

function clientRequestId(headers: Headers): string | null {
  const id = headers.get('x-client-request-id');
  return id !== null && /^[\x21-\x7e]{1,128}$/.test(id) ? id : null;
}

/** The message and the stack stay in the log; a cause may hold SQL, never a parameter. */
function logFailure(log: AppDeps['log'], requestId: string, error: unknown): void {
  const cause = error instanceof AppError ? error.cause : error;
  log({
    event: 'internal_error',
    request_id: requestId,
    message: cause instanceof Error ? cause.message : String(cause),
    stack: cause instanceof Error ? cause.stack : undefined,
  });
}
