import type { JsonSchema } from './schemas.ts';

const header = (description: string, type: 'string' | 'integer' = 'string') => ({ description, schema: { type } });

/** What answers say beside their body (wire contract §1.0, §7). */
export const responseHeaders = {
  'x-request-id': header('The request’s id, `req_…`; the same as in its record and in an error’s body.'),
  'x-client-request-id': header('The caller’s own id of the request, where it sent one.'),
  'Idempotent-Replayed': header('`true` where this answer was given before, to the same `Idempotency-Key`.'),
  'x-portico-version': header('Version of the server’s build.'),
  'x-portico-provider': header('Provider that answered. Left out where the answer began before that was known.'),
  'x-portico-model': header('Model that answered, by the provider’s own name.'),
  'x-portico-attempts': header('How many models were tried.', 'integer'),
  'x-portico-route': header('In one line, why this model: `policy=balanced;tier=simple;score=0.71;eligible=7/9`.'),
  'x-portico-warnings': header('What was ignored or changed: `unknown_parameter=max_token`.'),
  'x-ratelimit-limit-requests': header('Requests a minute that the plan allows.', 'integer'),
  'x-ratelimit-remaining-requests': header('Of these, how many are left.', 'integer'),
  'x-ratelimit-reset-requests': header('When all are there again, such as `1m0s`.'),
  'x-ratelimit-limit-tokens': header('Tokens a minute that the plan allows.', 'integer'),
  'x-ratelimit-remaining-tokens': header('Of these, how many are left.', 'integer'),
  'x-ratelimit-reset-tokens': header('When all are there again, such as `12ms`.'),
  'Retry-After': header('Seconds to wait before asking again, at most 60.', 'integer'),
  'retry-after-ms': header('The same in milliseconds.', 'integer'),
  'WWW-Authenticate': header('Which credentials are taken, and what was wrong with this one.'),
  Allow: header('Methods that the path has.'),
} as const satisfies Record<string, JsonSchema>;

export const everyAnswer: readonly string[] = ['x-request-id', 'x-client-request-id', 'x-portico-version'];
export const chatAnswer: readonly string[] = Object.keys(responseHeaders).filter((name) =>
  /^x-ratelimit-|^x-portico-(provider|model|attempts|route)$|^Idempotent/.test(name),
);

export const headerRefs = (names: readonly string[]): Record<string, JsonSchema> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
