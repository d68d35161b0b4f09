import { AppError, type ErrorCode, type ProviderError } from '#shared/errors.ts';
import { asArray, asObject, asText } from '#shared/json/foreign-json.ts';
import { withoutKeys } from '#shared/without-keys.ts';

/** What a provider said went wrong, whatever its format. */
interface UpstreamFault {
  readonly provider: string;
  /** HTTP status, or the one that the fault's kind stands for when it comes inside a stream. */
  readonly status: number;
  /** The provider's own codes and kinds, in lower case. */
  readonly kinds: readonly string[];
  readonly message: string;
  /** The place in the request that it names. */
  readonly param?: string | null;
  readonly retryAfterMs?: number;
}

/** What an error says beside its code, for those who watch over providers and models. */
type UpstreamReason =
  | 'quota_exhausted'
  | 'key_refused'
  | 'model_unknown'
  | 'model_refuses'
  | 'no_model_list'
  | 'no_models_listed';

/** Why an upstream failed, where it is one of the reasons that somebody has to act on. */
export function getReason({ details }: AppError): UpstreamReason | null {
  const reason = details?.reason;
  return typeof reason === 'string' && Object.hasOwn(reasons, reason) ? (reason as UpstreamReason) : null;
}

const reasons: Readonly<Record<UpstreamReason, true>> = {
  quota_exhausted: true,
  key_refused: true,
  model_unknown: true,
  model_refuses: true,
  no_model_list: true,
  no_models_listed: true,
};

/** A server that answers and lists nothing: models of it have to be named. */
export const listsNothing = (
  provider: string,
  reason: 'no_model_list' | 'no_models_listed',
  cause?: AppError,
): AppError =>
  new AppError(
    'upstream_error',
    reason === 'no_model_list'
      ? `${provider} answers, but has no list of models. Name one, and check the base URL: it usually ends in /v1.`
      : `${provider} answers, but its list has no models. Load one, or name one.`,
    { provider, providerError: cause?.providerError ?? null, details: { reason }, ...(cause ? { cause } : {}) },
  );

/** A day: whoever asks for more, in a header or a body, is asked again all the same. */
const maxWaitMs = 86_400_000;
/** How long a provider whose account ran dry is left alone. */
const emptyAccountMs = 300_000;

/** Maps a provider's failure to ours (wire contract §3.3), with its own words, scrubbed. `provider-guards.ts` passes on what may be. */
export function upstreamError(fault: UpstreamFault): AppError {
  const { provider, status } = fault;
  const fail = (code: ErrorCode, message: string, retryAfterMs?: number, reason?: UpstreamReason) =>
    new AppError(code, message, {
      provider,
      providerError: providerError(fault),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(retryAfterMs, maxWaitMs) }),
      ...(reason === undefined ? {} : { details: { reason } }),
    });
  if (isQuota(fault)) {
    const message = `The account at ${provider} has no quota left.`;
    return fail('no_provider_available', message, emptyAccountMs, 'quota_exhausted');
  }
  if (isModeration(fault)) {
    return fail('content_policy_violation', refusal(fault, "The provider's content policy refused this."));
  }
  if (status === 401 || status === 403 || isBadKey(fault)) {
    return fail('upstream_auth_failed', `${provider} refused the key.`, undefined, 'key_refused');
  }
  if (status === 429)
    return fail('upstream_rate_limited', `${provider} is limiting the rate of requests.`, fault.retryAfterMs);
  if (status === 503 || status === 529)
    return fail('upstream_overloaded', `${provider} is overloaded.`, fault.retryAfterMs);
  if (status === 408 || status === 504) return fail('upstream_timeout', `${provider} ran out of time.`);
  if (isContextLength(fault))
    return fail('context_length_exceeded', refusal(fault, 'The request is too long for this model.'));
  if (isPolicy(fault))
    return fail('content_policy_violation', refusal(fault, "The provider's content policy refused this."));
  if (status === 404 || isUnknownModel(fault)) {
    return fail('upstream_error', `${provider} does not know this model.`, undefined, 'model_unknown');
  }
  if (status >= 400 && status < 500) {
    const reason = belongsToModel(fault) ? 'model_refuses' : undefined;
    return fail('upstream_invalid_request', refusal(fault, 'The provider refused the request.'), undefined, reason);
  }
  return fail('upstream_error', `${provider} failed with status ${status}.`);
}

function providerError({ status, kinds, param, message }: UpstreamFault): ProviderError {
  const named = kinds.find((kind) => /^[a-z0-9_.-]{1,64}$/.test(kind)) ?? null;
  const said = message === '' ? null : scrub(message);
  return { status, code: named, param: said === null ? null : scrub(param ?? '') || null, message: said };
}

/** The same failure, in these words. */
export function saying(error: AppError, message: string, said: ProviderError | null): AppError {
  const { code, param, provider, origin, retryAfterMs, details } = error;
  return new AppError(code, message, {
    param,
    provider,
    origin,
    providerError: said,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(details === undefined ? {} : { details }),
  });
}

/** The same failure without the provider's own words: its status and its code are left. */
export function wordless(error: AppError): AppError {
  const said = error.providerError;
  return saying(error, error.message, said && { status: said.status, code: said.code, param: null, message: null });
}

/**
 * It is this model that does not take the request, by a parameter, a value or its API: another one may. What is wrong with the
 * request itself is wrong everywhere.
 */
const belongsToModel = ({ kinds, message }: UpstreamFault) =>
  kinds.some((kind) => kind === 'unsupported_parameter' || kind === 'unsupported_value') ||
  /(not|only) supported (with|for|on|by|in) (this|certain|that) models?|(is|are) (not supported|deprecated) for (this model|\S+ in \/v1\/)|this model does not support|unsupported for this model|please use \/v1\/responses/i.test(
    message,
  );

const isQuota = ({ status, kinds, message }: UpstreamFault) =>
  status === 402 || kinds.includes('insufficient_quota') || /credit balance is too low/i.test(message);

const isBadKey = ({ kinds, message }: UpstreamFault) =>
  kinds.includes('api_key_invalid') || /api key not valid|incorrect api key/i.test(message);

/** OpenRouter refuses what its moderation flagged with 403, as if the key were bad. */
const isModeration = ({ status, kinds }: UpstreamFault) => status === 403 && kinds.includes('moderation');

const isUnknownModel = ({ status, kinds }: UpstreamFault) =>
  status === 400 && kinds.some((kind) => kind === 'model_not_found' || kind === 'invalid_model');

const isContextLength = ({ kinds, message }: UpstreamFault) =>
  kinds.includes('context_length_exceeded') ||
  /maximum context length|prompt is too long|context window|input token count .{0,60}exceeds/i.test(message);

const isPolicy = ({ kinds, message }: UpstreamFault) =>
  kinds.some((kind) => kind === 'content_policy_violation' || kind === 'content_filter') ||
  /content management policy|content policy|safety system/i.test(message);

const refusal = (fault: UpstreamFault, otherwise: string) => (fault.message ? scrub(fault.message) : otherwise);

const shownChars = 500;

/** Takes keys, organisation ids and addresses out of a provider's text. */
export function scrub(text: string): string {
  return withoutKeys(text.slice(0, 4_000).replace(/\bhttps?:\/\/\S+/gi, '[link]')).slice(0, shownChars);
}

const statusOfKind: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  timeout_error: 504,
  overloaded_error: 529,
  invalid_argument: 400,
  failed_precondition: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  resource_exhausted: 429,
  unavailable: 503,
  deadline_exceeded: 504,
};

/**
 * Reads the error objects of OpenAI (`{error:{message,type,code}}`), Anthropic (`{type:"error",error:{type,message}}`)
 * and Google (`{error:{code,message,status,details}}`, sometimes in an array). `status` null: it came inside a stream.
 */
export function readFault(body: unknown, provider: string, status: number | null): UpstreamFault {
  const outer = asObject(Array.isArray(body) ? body[0] : body);
  const error = asObject(outer.error);
  const reasons = asArray(error.details).map((detail) => asObject(detail).reason);
  const flagged = Array.isArray(asObject(error.metadata).reasons) ? 'moderation' : null;
  const named = [error.code, error.type, error.status, flagged, ...reasons];
  const kinds = named.flatMap((kind) => asText(kind)?.toLowerCase() ?? []);
  const message = asText(error.message) ?? asText(outer.error) ?? asText(outer.message) ?? '';
  const param = asText(error.param);
  const retryAfterMs = retryDelayMs(error.details);
  return {
    provider,
    status: status ?? statusFor(error.code, kinds),
    kinds,
    message,
    param,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  };
}

/** Google says a wait in the body: `{"@type": "…/google.rpc.RetryInfo", "retryDelay": "34.07s"}`. */
function retryDelayMs(details: unknown): number | null {
  const delay = asArray(details)
    .map((detail) => asText(asObject(detail).retryDelay))
    .find((text) => text !== null);
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? '')?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1_000);
}

function statusFor(code: unknown, kinds: readonly string[]): number {
  if (typeof code === 'number' && code >= 400 && code < 600) return code;
  return kinds.map((kind) => statusOfKind[kind]).find((status) => status !== undefined) ?? 500;
}
