import { AppError, type ErrorCode, type ProviderError } from '#shared/errors.ts';
import { formatWait } from '#shared/format-wait.ts';
import { asArray, asObject, asText, isObject } from '#shared/json/foreign-json.ts';
import { withoutKeys } from '#shared/without-keys.ts';

/** A failure that a provider reported, whatever its format. */
interface UpstreamFault {
  readonly provider: string;
  /** The HTTP status. If the failure comes inside a stream, it's the status that belongs to its kind. */
  readonly status: number;
  /** The provider's own codes and kinds, in lower case. */
  readonly kinds: readonly string[];
  readonly message: string;
  /** The field of the request that the provider names. */
  readonly param?: string | null;
  readonly retryAfterMs?: number;
}

/** A detail of an error besides its code, for the code that watches providers and models. */
type UpstreamReason =
  | 'quota_exhausted'
  | 'key_refused'
  | 'model_unknown'
  | 'model_refuses'
  | 'no_model_list'
  | 'no_models_listed';

/** Returns why an upstream failed, if it's one of the reasons that somebody has to act on. */
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

/** Returns the error for a server that answers but lists no models. Its owner has to name one. */
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

/** One day. If a provider asks for a longer wait, it's called again after this time anyway. */
const maxWaitMs = 86_400_000;
/** How long a provider isn't called after its account ran empty. */
const emptyAccountMs = 300_000;

/**
 * Maps a provider's failure to the gateway's errors (wire contract §3.3), with the provider's scrubbed message.
 * `provider-guards.ts` decides who may read that message.
 */
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
  if (status === 429) {
    const wait = getLongWait(fault.retryAfterMs);
    const message = `${provider} is limiting the rate of requests${wait === null ? '' : `: it accepts none for ${wait}`}.`;
    return fail('upstream_rate_limited', message, fault.retryAfterMs);
  }
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

const minuteMs = 60_000;
const monthMs = 31 * 86_400_000;

/** Returns a wait of more than a minute in words; null for a shorter wait. Nobody waits for years, so those are cut. */
function getLongWait(ms: number | undefined): string | null {
  if (ms === undefined || ms <= minuteMs) return null;
  return ms > monthMs ? 'more than a month' : formatWait(Math.ceil(ms / minuteMs) * minuteMs);
}

function providerError({ status, kinds, param, message }: UpstreamFault): ProviderError {
  const named = kinds.find((kind) => /^[a-z0-9_.-]{1,64}$/.test(kind)) ?? null;
  const scrubbed = message === '' ? null : scrub(message);
  return { status, code: named, param: scrubbed === null ? null : scrub(param ?? '') || null, message: scrubbed };
}

/** Returns the same failure with other messages. */
export function withMessage(error: AppError, message: string, reported: ProviderError | null): AppError {
  const { code, param, provider, origin, retryAfterMs, details } = error;
  return new AppError(code, message, {
    param,
    provider,
    origin,
    providerError: reported,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(details === undefined ? {} : { details }),
  });
}

/** Returns the same failure without the provider's own message and field. Its status and code stay. */
export function withoutMessage(error: AppError): AppError {
  const reported = error.providerError;
  return withMessage(
    error,
    error.message,
    reported && { status: reported.status, code: reported.code, param: null, message: null },
  );
}

/**
 * True if only this model refuses the request, because of a parameter, a value or its API. Another model may accept it.
 * A request that is wrong in itself is refused everywhere.
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

/** OpenRouter refuses flagged content with 403, as if the key were bad. */
const isModeration = ({ status, kinds }: UpstreamFault) => status === 403 && kinds.includes('moderation');

const isUnknownModel = ({ status, kinds }: UpstreamFault) =>
  status === 400 && kinds.some((kind) => kind === 'model_not_found' || kind === 'invalid_model');

const contextKinds = new Set(['context_length_exceeded', 'exceed_context_size_error', 'model_context_window_exceeded']);

/**
 * How servers say that a conversation is too long: OpenAI and those that copy it, Anthropic, Google, llama.cpp, LM Studio, xAI,
 * Kimi, vLLM, SGLang, TGI, Mistral, Cohere, Z.ai, DashScope, Bedrock and Cerebras (https://github.com/cline/kanban/issues/505,
 * https://github.com/NousResearch/hermes-agent/issues/89504, https://github.com/raine/claude-code-proxy/issues/29, read
 * 2026-11-27).
 */
const contextWords = [
  /(maximum|max|model'?s?) context (length|window|size)/,
  /prompt (is )?too long|input is too long for (the )?requested model/,
  /context window/,
  /input token count .{0,60}exceeds|prompt token count .{0,60}exceeds/,
  /exceeds? (the )?(available )?context (size|length|limit|window)|exceeds? the model.{0,20} context/,
  /maximum prompt length|prompt exceeds max length|prompt .{0,40}longer than the maximum model length/,
  /exceed(ed|s) (the )?model('s)? token limit/,
  /(loaded with|reached) (a )?context length|greater than the context length|than the (model's )?context length/,
  /inputs. tokens \+ .max_new_tokens. must be/,
  /too many tokens: .{0,60}prompt/,
  /range of input length should be/,
  /reduce the length of the messages/,
];

const isContextLength = ({ kinds, message }: UpstreamFault) => {
  if (kinds.some((kind) => contextKinds.has(kind))) return true;
  const words = message.toLowerCase();
  return contextWords.some((pattern) => pattern.test(words));
};

const isPolicy = ({ kinds, message }: UpstreamFault) =>
  kinds.some((kind) => kind === 'content_policy_violation' || kind === 'content_filter') ||
  /content management policy|content policy|safety system/i.test(message);

const refusal = (fault: UpstreamFault, otherwise: string) => (fault.message ? scrub(fault.message) : otherwise);

const shownChars = 500;

/** Removes keys, organisation ids and URLs from a provider's message. */
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
 * and Google (`{error:{code,message,status,details}}`, sometimes in an array). `status`: null for an error inside a
 * stream.
 */
export function readFault(body: unknown, provider: string, status: number | null): UpstreamFault {
  const outer = asObject(Array.isArray(body) ? body[0] : body);
  const error = asObject(outer.error);
  const reasons = asArray(error.details).map((detail) => asObject(detail).reason);
  const flagged = Array.isArray(asObject(error.metadata).reasons) ? 'moderation' : null;
  const named = [error.code, error.type, error.status, flagged, ...reasons];
  const kinds = named.flatMap((kind) => asText(kind)?.toLowerCase() ?? []);
  const message = toSentence(outer) ?? '';
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

/** Fields in which servers put the reason of a refusal, the most precise first. */
const reasonFields = ['message', 'msg', 'detail', 'error', 'errors', 'error_description', 'reason', 'title'];
const maxReasons = 5;

/**
 * Finds the sentence in an error's body. FastAPI sends `{detail: "…"}` or `{detail: [{loc, msg}]}`, Mistral the same inside
 * `message`, others `{errors: […]}` or `{error: {detail: "…"}}` (https://github.com/danny-avila/LibreChat/issues/4866, read
 * 2026-11-27). Returns null if there is none.
 */
function toSentence(value: unknown, depth = 0): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  if (depth > 4) return null;
  if (Array.isArray(value)) {
    const sentences = value.slice(0, maxReasons).flatMap((item) => toSentence(item, depth + 1) ?? []);
    return sentences.length === 0 ? null : sentences.join('; ');
  }
  const fields = asObject(value);
  // The error's own object is read before anything beside it, such as a status in words.
  const names = isObject(fields.error) ? ['error', ...reasonFields] : reasonFields;
  for (const name of names) {
    const sentence = toSentence(fields[name], depth + 1);
    if (sentence !== null) return withPlace(sentence, fields.loc);
  }
  return null;
}

/** Puts the path of the field in front, which FastAPI sends separately. */
function withPlace(sentence: string, loc: unknown): string {
  const path = asArray(loc).filter((step) => typeof step === 'string' || typeof step === 'number');
  return path.length === 0 ? sentence : `${path.join('.')}: ${sentence}`;
}

/** Google sends the time to wait in the body: `{"@type": "…/google.rpc.RetryInfo", "retryDelay": "34.07s"}`. */
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
