import { AppError } from '#shared/errors.ts';
import type { Provider, ProviderCredential } from './provider.ts';

/** What is shorter is no secret, and could be part of any word. */
const leastChars = 6;
const redacted = '[redacted]';

/** A provider whose failures never say the key and the headers that it was asked with, whatever they look like (wire contract §3.3). */
export function withoutKey(provider: Provider): Provider {
  const { checkKey, embed } = provider;
  const keeping =
    ({ apiKey, headers }: ProviderCredential) =>
    (error: unknown): never => {
      const secrets = [...(apiKey ? [apiKey] : []), ...(headers?.values() ?? [])];
      throw secrets.reduce((left, secret) => cleared(left, secret.reveal()), error);
    };
  return {
    ...provider,
    chat: (request, context, take) => provider.chat(request, context, take).catch(keeping(context.credential)),
    ...(embed ? { embed: (request, context) => embed(request, context).catch(keeping(context.credential)) } : {}),
    models: (context) => provider.models(context).catch(keeping(context.credential)),
    ...(checkKey ? { checkKey: (context) => checkKey(context).catch(keeping(context.credential)) } : {}),
  };
}

function cleared(error: unknown, key: string): unknown {
  if (!(error instanceof AppError) || key.length < leastChars) return error;
  const clear = (text: string) => withoutTail(text.replaceAll(key, redacted), key);
  const clearOr = (text: string | null) => (text === null ? null : clear(text));
  const said = error.providerError;
  const providerError = said && {
    ...{ status: said.status, code: clearOr(said.code) },
    ...{ param: clearOr(said.param), message: clearOr(said.message) },
  };
  const message = clear(error.message);
  if (message === error.message && JSON.stringify(providerError) === JSON.stringify(said)) return error;
  const { code, param, provider, retryAfterMs, details } = error;
  return new AppError(code, message, {
    ...{ param, provider, providerError },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(details === undefined ? {} : { details }),
  });
}

/** A provider's text is cut to a paragraph, perhaps in the middle of the key. */
function withoutTail(message: string, key: string): string {
  for (let length = key.length - 1; length >= leastChars; length -= 1) {
    if (message.endsWith(key.slice(0, length))) return message.slice(0, -length) + redacted;
  }
  return message;
}
