import { Hono } from 'hono';
import type { AppEnv } from './context.ts';
import { errorResponseFor } from './errors/error-for.ts';
import type { RequestHead } from './exchange.ts';
import { requirePolicies, toPath } from './policies.ts';
import {
  admitReceived,
  knownError,
  logAnswered,
  type ReceiveDeps,
  receive,
  release,
  withCommonHeaders,
} from './receive.ts';

/**
 * The gateway's routes, all but the chats, as one fetch handler: admission in the order of wire contract §3.3, then the route,
 * then the headers. Each part mounts its handlers at the full paths of `policies.ts`.
 */
export function createApp(deps: ReceiveDeps, routes: readonly Hono<AppEnv>[]): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ getPath: ({ url }) => toPath(getTarget(url)) });

  app.use('*', async (context, next) => {
    const received = receive(getHead(context.req.raw), deps.now());
    context.set('received', received);
    context.set('requestId', received.requestId);
    await next();
    const own = Object.fromEntries(context.res.headers);
    if (own['content-type'] === 'application/json') own['content-type'] = 'application/json; charset=utf-8';
    for (const [name, value] of Object.entries(withCommonHeaders(received, own, deps)))
      context.res.headers.set(name, value);
    logAnswered(received, context.res.status, context.get('code') ?? null, deps);
  });

  app.use('*', async (context, next) => {
    const received = context.get('received');
    try {
      await admitReceived(received, context.env?.address ?? null, deps);
      if (received.principal) context.set('principal', received.principal);
      if (received.place) context.set('place', received.place);
      await next();
    } finally {
      await release(received);
    }
  });

  for (const part of routes) app.route('/', requirePolicies(part));

  app.onError((error, context) => {
    const received = context.get('received');
    const known = knownError(error, received, deps);
    context.set('code', known.code);
    return errorResponseFor(received.head.target, known, received.requestId);
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
