import { AppError } from '#shared/errors.ts';
import { readOnTheWay } from '#shared/plain-http.ts';
import { mayCarrySecrets } from '../upstream/secret-address.ts';
import type { Provider, ProviderContext } from './provider.ts';

/** What a header of the operator's must not say: who asks, where, how the body is read, and what one connection agrees on. */
const ours: ReadonlySet<string> = new Set([
  ...['authorization', 'proxy-authorization', 'api-key', 'x-api-key', 'x-goog-api-key', 'cookie'],
  ...['host', 'content-type', 'content-length', 'content-encoding', 'accept', 'accept-encoding', 'expect'],
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** Why a header cannot be sent besides our own, or null (RFC 9110 §5.1, §5.5, §7.6.1). */
export function headerFault(name: string, value: string): string | null {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name)) return 'is no name of a header';
  if (ours.has(name.toLowerCase())) return 'is the gateway’s own to set';
  if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,4094}[\x21-\x7e])?$/.test(value))
    return 'needs a value of plain characters, without line breaks';
  return null;
}

/** A provider whose requests carry the headers of its credential; what the adapter says itself comes first. */
export function withHeaders(provider: Provider): Provider {
  const { checkKey, embed } = provider;
  return {
    ...provider,
    chat: (request, context, take) => provider.chat(request, carrying(provider.id, context), take),
    ...(embed ? { embed: (request, context) => embed(request, carrying(provider.id, context)) } : {}),
    models: (context) => provider.models(carrying(provider.id, context)),
    ...(checkKey ? { checkKey: (context) => checkKey(carrying(provider.id, context)) } : {}),
  };
}

function carrying(provider: string, context: ProviderContext): ProviderContext {
  const { fetch, credential } = context;
  const { headers } = credential;
  if (headers === undefined || headers.size === 0) return context;
  if (!mayCarrySecrets(credential.baseUrl)) {
    const sentence = `${provider} was not asked: its address needs https, because ${readOnTheWay}`;
    throw new AppError('upstream_unreachable', sentence, { provider });
  }
  const more = Object.fromEntries([...headers].map(([name, value]) => [name.toLowerCase(), value.reveal()]));
  return { ...context, fetch: (url, init) => fetch(url, { ...init, headers: { ...more, ...init.headers } }) };
}
