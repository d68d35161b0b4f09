import type { Hono } from 'hono';
import type { Scope } from '#shared/wire/account.ts';
import type { AppEnv } from './context.ts';

/** Who may call a route and what it may send. A path that is not listed here does not exist. */
export interface RoutePolicy {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** A last segment `*` stands for one or more segments. */
  readonly path: string;
  /** `public`: no credential, no data. `any`: every valid credential. */
  readonly access: Scope | 'any' | 'public';
  /** What the account's plan has to include. */
  readonly feature?: 'chat' | 'usage_api';
  readonly body: 'json' | 'ignored';
  readonly bodyLimit: number;
  /** An API key may also come in the header `x-api-key`, as Anthropic's clients send it. */
  readonly takesApiKeyHeader?: true;
}

export const chatBodyLimit = 25 * 1024 * 1024;
/** 300,000 tokens in words or numbers take a quarter of it. */
export const embeddingsBodyLimit = 8 * 1024 * 1024;
const verifyBodyLimit = 1024;
export const otherBodyLimit = 1024 * 1024;

const read = (path: string, access: RoutePolicy['access']): RoutePolicy => ({
  method: 'GET',
  path,
  access,
  body: 'ignored',
  bodyLimit: otherBodyLimit,
});
const chat = (path: string): RoutePolicy => ({
  method: 'POST',
  path,
  access: 'chat',
  feature: 'chat',
  body: 'json',
  bodyLimit: chatBodyLimit,
});

/** Every route of the gateway (wire contract §1, §4.5, §10). */
export const routePolicies: readonly RoutePolicy[] = [
  chat('/chat'),
  chat('/api/chat'),
  chat('/v1/chat/completions'),
  chat('/v1/responses'),
  { ...chat('/v1/messages'), takesApiKeyHeader: true },
  { ...chat('/v1/messages/count_tokens'), takesApiKeyHeader: true },
  { ...chat('/v1/embeddings'), bodyLimit: embeddingsBodyLimit },
  chat('/v1/quote'),
  read('/models', 'models'),
  { ...read('/v1/models', 'models'), takesApiKeyHeader: true },
  { ...read('/v1/models/*', 'models'), takesApiKeyHeader: true },
  read('/v1/prices', 'models'),
  read('/v1/prices/*', 'models'),
  read('/account', 'account'),
  read('/credits', 'account'),
  read('/v1/credits', 'account'),
  { ...read('/v1/usage', 'account'), feature: 'usage_api' },
  read('/v1/requests', 'account'),
  read('/v1/requests/*', 'account'),
  read('/v1/keys', 'account'),
  { method: 'POST', path: '/v1/keys', access: 'account', body: 'json', bodyLimit: otherBodyLimit },
  { method: 'PATCH', path: '/v1/keys/*', access: 'account', body: 'json', bodyLimit: otherBodyLimit },
  { method: 'DELETE', path: '/v1/keys/*', access: 'account', body: 'ignored', bodyLimit: otherBodyLimit },
  { method: 'POST', path: '/v1/auth/verify', access: 'any', body: 'ignored', bodyLimit: verifyBodyLimit },
  read('/v1', 'public'),
  read('/healthz', 'public'),
  read('/readyz', 'public'),
  read('/.well-known/jwks.json', 'public'),
  read('/openapi.json', 'public'),
  read('/docs', 'public'),
  read('/docs/explorer.js', 'public'),
  read('/docs/explorer.css', 'public'),
];

const chatPaths = new Set([
  ...['/chat', '/api/chat', '/v1/chat/completions', '/v1/responses', '/v1/messages', '/v1/embeddings'],
]);

/** Whether this is a chat or an embeddings request: those go through `exchange.ts`, all others through the framework. */
export const isChat = (method: string, target: string): boolean =>
  method === 'POST' && (chatPaths.has(target) || chatPaths.has(toPath(target)));

/** Which of the gateway's rate limits a request counts against (wire contract §7). */
export function getLimit({ path, access }: RoutePolicy): 'chat' | 'read' | 'verify' | null {
  if (access === 'public') return null;
  if (chatPaths.has(path)) return 'chat';
  return path === '/v1/auth/verify' ? 'verify' : 'read';
}

/** Removes trailing slashes, which mean nothing for routes. */
const normalPath = (path: string): string => (path.length > 1 ? path.replace(/\/+$/, '') || '/' : path);

/** The path of a request's target in the form of the policies. */
export function toPath(target: string): string {
  if (fixedPolicies.has(target)) return target;
  const end = target.search(/[?#]/);
  return normalPath(end < 0 ? target : target.slice(0, end));
}

const isFixed = ({ path }: RoutePolicy) => !path.endsWith('/*');

/** The paths without a placeholder, each with its policies: nearly every request is for one of them. */
const fixedPolicies: ReadonlyMap<string, readonly RoutePolicy[]> = new Map(
  routePolicies.filter(isFixed).map(({ path }) => [path, routePolicies.filter((policy) => covers(policy.path, path))]),
);

/** All policies of a path, one per method. */
export const getPolicies = (path: string): readonly RoutePolicy[] =>
  fixedPolicies.get(path) ?? routePolicies.filter((policy) => covers(policy.path, path));

function covers(pattern: string, path: string): boolean {
  if (!pattern.endsWith('/*')) return pattern === path;
  const stem = pattern.slice(0, -1);
  return path.startsWith(stem) && path.length > stem.length;
}

/** Refuses to mount a handler that has no policy: it could never be reached, and would be one typing error from open. */
export function requirePolicies(app: Hono<AppEnv>): Hono<AppEnv> {
  for (const { method, path } of app.routes) {
    const real = path.replace(/\/:[^/]+$/, '/x');
    if (!getPolicies(real).some((policy) => policy.method === method)) {
      throw new Error(`the route ${method} ${path} has no policy`);
    }
  }
  return app;
}
