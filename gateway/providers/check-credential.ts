import { toAppError } from '#shared/errors.ts';
import { isOwnServer } from '#shared/known-providers.ts';
import type { Provider, ProviderContext } from './provider.ts';
import { getReason, listsNothing } from './upstream/upstream-error.ts';

/**
 * Checks a credential with a free call to its provider. A self-hosted server that lists no models still passes if the
 * credential names one of its models. Otherwise the check fails with the reason `no_model_list` or `no_models_listed`.
 */
export async function checkCredential(provider: Provider, context: ProviderContext): Promise<void> {
  if (provider.checkKey) return provider.checkKey(context);
  const isNamed = (context.credential.models ?? []).length > 0;
  try {
    const listed = await provider.models(context);
    const isOwn = isOwnServer(provider.id);
    if (listed.length === 0 && isOwn && !isNamed) throw listsNothing(provider.id, 'no_models_listed');
  } catch (error) {
    if (!isNamed || getReason(toAppError(error)) !== 'no_model_list') throw error;
  }
}
