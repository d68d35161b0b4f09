import { GatewayError } from '#shared/client/gateway-error.ts';
import { AppError, type ErrorCode, getProblemText, isErrorCode } from '#shared/errors.ts';
import { knownProviderName } from '#shared/known-providers.ts';
import { refusal, toProblemText } from '#shared/language/refusals.ts';
import { withoutKeys } from '#shared/without-keys.ts';
import type { Naming } from './model-facts.ts';

const ours: Readonly<Record<string, ErrorCode>> = {
  unreachable: 'gateway_unreachable',
  not_a_gateway: 'gateway_not_recognised',
  truncated: 'upstream_truncated',
};

/** Used where no name of the user’s own servers is needed. */
const knownNames: Naming = { modelFacts: () => null, providerName: knownProviderName };

/** The gateway adds this advice for programs. The app shows users the remaining time instead. */
const headerAdvice = / Wait as long as "Retry-After" says\.$/;

/** The same of the length of an answer, by the name of the request's field. */
const lengthAdvice = / Lower max_tokens or add credits\.(?: The largest "max_tokens" the balance covers is (\d+)\.)?$/;

const forPeople = (message: string): string =>
  message
    .replace(headerAdvice, '')
    .replace(lengthAdvice, (_, tokens?: string) =>
      tokens === undefined
        ? ' Add credits, or choose a cheaper model.'
        : ` Limit the answer to ${tokens} tokens, or add credits.`,
    );

/** Maps a gateway error to the app’s code. An unknown code is mapped by its status if possible. */
function getCode({ code, status_code }: GatewayError): ErrorCode {
  const known = ours[code] ?? (isErrorCode(code) ? code : null);
  return known ?? (status_code === 429 ? 'rate_limit_exceeded' : 'upstream_bad_response');
}

/** Wraps a gateway’s own sentence. Translations describe the code and quote the sentence. */
export const quoteGateway = (code: string, message: string) =>
  toProblemText('gatewaySaid', { code, said: forPeople(message) });

/**
 * Returns what a failed answer stores about the provider’s error. A foreign gateway may not have removed keys from it.
 */
export function toProviderFailure({ status_code: status, provider, providerError: error }: GatewayError) {
  return {
    status: status === 0 ? null : status,
    provider,
    providerError: error && {
      status: error.status,
      code: error.code && withoutKeys(error.code),
      message: error.message && withoutKeys(error.message).slice(0, 2000),
    },
  };
}

/** Replaces the ids of provider and model in a gateway’s sentence by their names. */
export function withNames(message: string, provider: string | null, { modelFacts, providerName }: Naming): string {
  const modelNamed = message.replace(/\b[\w.-]+\/[\w.:/-]*\w/g, (id) => modelFacts(id)?.name ?? id);
  const name = provider === null ? null : providerName(provider);
  if (name === null || name === provider) return modelNamed;
  // A provider id contains no special characters of a regular expression. Only the first match is replaced, because an
  // id such as `server` may also be an ordinary word.
  return modelNamed.replace(new RegExp(`(?<![\\w/.-])${provider}(?![\\w/-])`), () => name);
}

function getMessage({ code, message, status_code: status, details, provider, cause }: GatewayError, naming: Naming) {
  // The gateway wasn't called, for the reason in the sentence.
  if (code === 'unreachable' && cause instanceof AppError) return getProblemText(cause);
  if (code === 'unreachable' && typeof details?.address === 'string')
    return toProblemText('gatewaySilent', { address: details.address });
  if (code === 'not_reported') return toProblemText('notReported');
  if (code === 'not_a_gateway')
    return status < 400 ? toProblemText('gatewayUnreadable') : toProblemText('gatewayUnknown', { status });
  return code === 'truncated' ? toProblemText('cutOff') : quoteGateway(code, withNames(message, provider, naming));
}

/** Returns the requested model if only its credential is missing. */
function withoutCredential({ code, details }: GatewayError): string | null {
  if (code !== 'no_eligible_model' || !Array.isArray(details?.excluded) || details.excluded.length !== 1) return null;
  const [only]: { id?: unknown; excluded?: unknown }[] = details.excluded;
  const reasons = Array.isArray(only?.excluded) ? only.excluded : [];
  return typeof only?.id === 'string' && reasons.length === 1 && reasons[0] === 'no_credential' ? only.id : null;
}

/** True if the request’s own price limit is the only reason against some model. */
const overPriceLimit = ({ code, details }: GatewayError): boolean =>
  code === 'no_eligible_model' &&
  Array.isArray(details?.excluded) &&
  details.excluded.some(
    ({ excluded }: { excluded?: unknown }) =>
      Array.isArray(excluded) && excluded.length === 1 && excluded[0] === 'max_cost',
  );

/**
 * Converts a gateway’s refusal to the app's own error. It keeps a known code and the gateway's message, without advice
 * on how to write a request.
 */
export function fromGateway(error: unknown, naming: Naming = knownNames): unknown {
  if (error instanceof GatewayError) {
    // Waiting doesn't refill an empty account.
    const wait = error.details?.reason === 'quota_exhausted' ? null : error.retryAfterMs;
    const more = {
      ...(wait === null ? {} : { retryAfterMs: wait }),
      details: { ...error.details, ...(error.requestId ? { requestId: error.requestId } : {}) },
      cause: error,
    };
    if (overPriceLimit(error)) return refusal('price_limit_exceeded', 'overPriceLimit', more);
    const model = withoutCredential(error);
    if (model === null) {
      const { message, refusal: known } = getMessage(error, naming);
      return new AppError(getCode(error), message, { ...more, refusal: known });
    }
    const provider = model.slice(0, model.indexOf('/'));
    const names = { provider: naming.providerName(provider), model: naming.modelFacts(model)?.name ?? model };
    return refusal(getCode(error), 'noKeyFor', names, more);
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return refusal('gateway_unreachable', 'gatewaySlow', { cause: error });
  }
  return error;
}

/** Runs a call to the gateway and converts its errors. */
export async function askGateway<T>(call: () => Promise<T>, naming?: Naming): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw fromGateway(error, naming);
  }
}

/** The same for what not every gateway reports. Null: this one doesn't, or not to this key. */
export async function ifReported<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await askGateway(call);
  } catch (error) {
    if (error instanceof AppError && (error.code === 'not_reported' || error.code === 'insufficient_scope'))
      return null;
    throw error;
  }
}
