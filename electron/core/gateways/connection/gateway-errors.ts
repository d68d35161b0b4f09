import { GatewayError } from '#shared/client/gateway-error.ts';
import { AppError, type ErrorCode, isErrorCode } from '#shared/errors.ts';
import { knownProviderName } from '#shared/known-providers.ts';
import { refusal, tell } from '#shared/language/refusals.ts';
import { withoutKeys } from '#shared/without-keys.ts';
import type { Naming } from './model-facts.ts';

const ours: Readonly<Record<string, ErrorCode>> = {
  unreachable: 'gateway_unreachable',
  not_a_gateway: 'gateway_not_recognised',
  truncated: 'upstream_truncated',
};

/** Where no server of the user’s own is meant. */
const knownNames: Naming = { modelFacts: () => null, providerName: knownProviderName };

/** Advice of our gateway to programs; users are shown the remaining time. */
const headerAdvice = / Wait as long as "Retry-After" says\.$/;

/** The app’s code for a gateway error; an unknown one by its status, where that suffices. */
function getCode({ code, status_code }: GatewayError): ErrorCode {
  const known = ours[code] ?? (isErrorCode(code) ? code : null);
  return known ?? (status_code === 429 ? 'rate_limit_exceeded' : 'upstream_bad_response');
}

/** A gateway’s own sentence. Other languages word its code and quote the sentence. */
export const saidByGateway = (code: string, message: string) =>
  tell('gatewaySaid', { code, said: message.replace(headerAdvice, '') });

/** What a failed answer keeps of the provider’s side. A gateway of others may not have scrubbed it. */
export function saidByProvider({ status_code: status, provider, providerError: said }: GatewayError) {
  return {
    status: status === 0 ? null : status,
    provider,
    providerError: said && {
      status: said.status,
      code: said.code && withoutKeys(said.code),
      message: said.message && withoutKeys(said.message).slice(0, 2000),
    },
  };
}

/** A gateway’s sentence with the names of provider and model in the place of their ids. */
export function withNames(message: string, provider: string | null, { modelFacts, providerName }: Naming): string {
  const modelNamed = message.replace(/\b[\w.-]+\/[\w.:/-]*\w/g, (id) => modelFacts(id)?.name ?? id);
  const name = provider === null ? null : providerName(provider);
  if (name === null || name === provider) return modelNamed;
  // Ids with a name have nothing that a pattern would read otherwise. Once: an id such as `server` is a word, too.
  return modelNamed.replace(new RegExp(`(?<![\\w/.-])${provider}(?![\\w/-])`), () => name);
}

function getWords({ code, message, status_code: status, details, provider }: GatewayError, naming: Naming) {
  if (code === 'unreachable' && typeof details?.address === 'string')
    return tell('gatewaySilent', { address: details.address });
  if (code === 'not_reported') return tell('notReported');
  if (code === 'not_a_gateway') return status < 400 ? tell('gatewayUnreadable') : tell('gatewayUnknown', { status });
  return code === 'truncated' ? tell('cutOff') : saidByGateway(code, withNames(message, provider, naming));
}

/** The requested model, where only a credential is missing. */
function withoutCredential({ code, details }: GatewayError): string | null {
  if (code !== 'no_eligible_model' || !Array.isArray(details?.excluded) || details.excluded.length !== 1) return null;
  const [only]: { id?: unknown; excluded?: unknown }[] = details.excluded;
  const reasons = Array.isArray(only?.excluded) ? only.excluded : [];
  return typeof only?.id === 'string' && reasons.length === 1 && reasons[0] === 'no_credential' ? only.id : null;
}

/** Whether models could answer that only the request’s own price limit leaves out. */
const overPriceLimit = ({ code, details }: GatewayError): boolean =>
  code === 'no_eligible_model' &&
  Array.isArray(details?.excluded) &&
  details.excluded.some(
    ({ excluded }: { excluded?: unknown }) =>
      Array.isArray(excluded) && excluded.length === 1 && excluded[0] === 'max_cost',
  );

/**
 * A gateway’s refusal as our own error: its code where we know it, and its own words, except advice on how to write a
 * request.
 */
export function fromGateway(error: unknown, naming: Naming = knownNames): unknown {
  if (error instanceof GatewayError) {
    // An empty account is not filled by waiting.
    const wait = error.details?.reason === 'quota_exhausted' ? null : error.retryAfterMs;
    const more = {
      ...(wait === null ? {} : { retryAfterMs: wait }),
      details: { ...error.details, ...(error.requestId ? { requestId: error.requestId } : {}) },
      cause: error,
    };
    if (overPriceLimit(error)) return refusal('price_limit_exceeded', 'overPriceLimit', more);
    const model = withoutCredential(error);
    if (model === null) {
      const { message, refusal: known } = getWords(error, naming);
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
