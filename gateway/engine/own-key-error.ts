import { AppError } from '#shared/errors.ts';
import { getReason, withoutMessage } from '../providers/upstream/upstream-error.ts';
import type { Target } from './admit.ts';

const refusals: Partial<Record<AppError['code'], string>> = {
  upstream_invalid_request: 'The provider refused this request as invalid.',
  context_length_exceeded: 'The request is longer than what this model can read.',
  content_policy_violation: "The provider's content policy refused this request.",
};

/**
 * Describes a failure with the caller's own key in our words only, because a provider's text may repeat part of the key (wire contract §6).
 * Never a 401, which would mean that the gateway's key is bad.
 */
export function ownKeyError(error: AppError): AppError {
  const { provider, param } = error;
  const name = provider ?? 'the provider';
  if (error.code === 'upstream_auth_failed') {
    return new AppError('byoapi_key_rejected', `The key in "byoapi_key" was refused by ${name}.`, {
      param: 'byoapi_key',
      provider,
    });
  }
  if (error.code === 'no_provider_available') {
    return new AppError(
      'byoapi_key_insufficient_quota',
      `The account of the key in "byoapi_key" has no quota left at ${name}.`,
      {
        param: 'byoapi_key',
        provider,
      },
    );
  }
  const own = refusals[error.code];
  if (own) return new AppError(error.code, own, { param, provider });
  return withoutMessage(error);
}

/** The error for a model that only the vendor could look up, and does not have. */
export function unknownName({ model, provider }: Target, error: AppError): AppError | null {
  if (!model.unverified || getReason(error) !== 'model_unknown') return null;
  const message = `${provider.name} has no model "${model.model}". GET /models lists the ones there are.`;
  return new AppError('model_not_found', message, { param: 'model', provider: provider.id });
}
