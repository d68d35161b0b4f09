import { AppError } from '#shared/errors.ts';
import { type Authorizer, requireActive, requireFeature, requireScope } from '../auth/authorize.ts';
import type { Principal } from '../auth/principal.ts';
import { type Awaitable, andThen } from '../concurrency/awaitable.ts';
import { unknownEndpoint } from './errors/other-apis.ts';
import type { RequestHead } from './exchange.ts';
import { policiesOf, type RoutePolicy } from './policies.ts';

const urlLimit = 8192;

/** Refuses a URL (path and query) of more than 8 KiB, which nothing here needs (wire contract §7), and NUL characters. */
export function checkTarget(target: string): void {
  if (target.includes('%00')) throw new AppError('malformed_request', 'The URL holds a NUL character.');
  if (target.length <= urlLimit) return;
  throw new AppError('request_too_large', `The URL is longer than ${urlLimit} characters.`, {
    details: { limit: urlLimit },
  });
}

/** Finds the policy of a request or throws 404 / 405: the first check, before anything is read (wire contract §3.3). */
export function policyFor(method: string, path: string): RoutePolicy {
  const policies = policiesOf(path);
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
export function checkHeaders(policy: RoutePolicy, head: RequestHead): void {
  if (policy.body === 'json') checkMediaType(head);
  const length = Number(head.header('content-length') ?? 0);
  if (policy.method !== 'GET' && length > policy.bodyLimit) throw tooLarge(policy.bodyLimit);
}

export const tooLarge = (limit: number) =>
  new AppError('request_too_large', `The request body is larger than ${limit} bytes.`, { details: { limit } });

/** Who asks and whether that is enough for this route. Null on public routes. */
export function admit(policy: RoutePolicy, header: string | null, authorizer: Authorizer): Awaitable<Principal | null> {
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
