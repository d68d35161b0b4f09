import { Hono } from 'hono';
import type { AppEnv } from './context.ts';
import { errorResponseFor } from './error-response.ts';
import type { RequestHead } from './exchange.ts';
import { requirePolicies, toPath } from './policies.ts';
import { RequestContext, type RequestDeps } from './request-context.ts';

/**
 * All routes of the gateway except the chats, as one fetch handler: the checks in the order of wire contract §3.3, then the route, then
 * the headers. Each part mounts its handlers at the full paths of `policies.ts`.
 */
export function createApp(deps: RequestDeps, routes: readonly Hono<AppEnv>[]): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ getPath: ({ url }) => toPath(getTarget(url)) });

  app.use('*', async (context, next) => {
    const request = new RequestContext(getHead(context.req.raw), deps);
    context.set('request', request);
    context.set('requestId', request.requestId);
    await next();
    const own = Object.fromEntries(context.res.headers);
    if (own['content-type'] === 'application/json') own['content-type'] = 'application/json; charset=utf-8';
    for (const [name, value] of Object.entries(request.withCommonHeaders(own))) context.res.headers.set(name, value);
    request.logAnswered(context.res.status, context.get('code') ?? null);
  });

  app.use('*', async (context, next) => {
    const request = context.get('request');
    try {
      await request.admit(context.env?.address ?? null);
      if (request.principal) context.set('principal', request.principal);
      if (request.memoryLease) context.set('memoryLease', request.memoryLease);
      await next();
    } finally {
      await request.release();
    }
  });

  for (const part of routes) app.route('/', requirePolicies(part));

  app.onError((error, context) => {
    const request = context.get('request');
    const known = request.toKnownError(error);
    context.set('code', known.code);
    return errorResponseFor(request.head.target, known, request.requestId);
  });
  return app;
}

export const getHead = (request: Request): RequestHead => ({
  method: request.method,
  target: getTarget(request.url),
  header: (name) => request.headers.get(name),
});

/** Path and query of an absolute URL, without the cost of parsing all of it. */
function getTarget(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  return start < 0 ? '/' : url.slice(start);
}
