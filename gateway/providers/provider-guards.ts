import { AppError, type ErrorCode } from '#shared/errors.ts';
import type { HeaderFault } from '#shared/header-faults.ts';
import { knownProvider } from '#shared/known-providers.ts';
import { readOnTheWay } from '#shared/plain-http.ts';
import { getRemoteFiles } from './changed-request.ts';
import type { Provider, ProviderContext, ProviderCredential } from './provider.ts';
import { mayCarrySecrets } from './upstream/dispatch-fetch.ts';
import { type Download, fetchFiles, getDocuments } from './upstream/fetched-files.ts';
import { saying, wordless } from './upstream/upstream-error.ts';

/** What is shorter is no secret, and could be part of any word. */
const minChars = 6;
const redacted = '[redacted]';

/** Only what it said of the request itself is passed on to everybody in its words (wire contract §3.3). */
const saidOfRequest = new Set<ErrorCode>([
  'upstream_invalid_request',
  'context_length_exceeded',
  'content_policy_violation',
]);

/**
 * A provider whose failures never say the key and the headers that it was asked with, whatever they look like, nor, unless
 * `tellsWords`, what it said of the account behind them (wire contract §3.3).
 */
export function withoutKey(provider: Provider, tellsWords = false): Provider {
  const { checkKey, embed } = provider;
  const keeping =
    ({ apiKey, headers }: ProviderCredential) =>
    (error: unknown): never => {
      const secrets = [...(apiKey ? [apiKey] : []), ...(headers?.values() ?? [])];
      const told = tellsWords ? error : withoutWords(error);
      throw secrets.reduce((left, secret) => cleared(left, secret.reveal()), told);
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
  if (!(error instanceof AppError) || key.length < minChars) return error;
  const clear = (text: string) => withoutTail(text.replaceAll(key, redacted), key);
  const clearOr = (text: string | null) => (text === null ? null : clear(text));
  const said = error.providerError;
  const providerError = said && {
    status: said.status,
    code: clearOr(said.code),
    param: clearOr(said.param),
    message: clearOr(said.message),
  };
  const message = clear(error.message);
  if (message === error.message && JSON.stringify(providerError) === JSON.stringify(said)) return error;
  return saying(error, message, providerError);
}

function withoutWords(error: unknown): unknown {
  if (!(error instanceof AppError) || !error.providerError || saidOfRequest.has(error.code)) return error;
  return error.code === 'upstream_auth_failed' ? saying(error, error.message, null) : wordless(error);
}

/** A provider's text is cut to a paragraph, perhaps in the middle of the key. */
function withoutTail(message: string, key: string): string {
  for (let length = key.length - 1; length >= minChars; length -= 1) {
    if (message.endsWith(key.slice(0, length))) return message.slice(0, -length) + redacted;
  }
  return message;
}

/**
 * A provider that is handed an address only where it can and may fetch it; otherwise the bytes, which the guard fetched. OpenAI's chat
 * completions and Google's API take no document by its address, so that none is handed on. What
 * a server of one's own fetches it fetches from where it stands, past every guard: from its own machine, from the operator's
 * network, from the cloud's metadata (docs/decisions/033-who-may-fetch.md).
 */
export function withoutAddresses(provider: Provider, download?: Download): Provider {
  return {
    ...provider,
    chat(request, context, take) {
      const remote = getRemoteFiles(request);
      if (remote.size === 0) return provider.chat(request, context, take);
      const fetchesImages = provider.fetchesImages && mayFetch(provider.id, context.credential);
      const wanted = fetchesImages ? getDocuments(remote) : remote;
      return fetchFiles(wanted, context.signal, download).then((fetched) =>
        provider.chat(fetched ? { ...request, fetched } : request, context, take),
      );
    },
  };
}

/** The operator's word, else only a vendor at its own address: one that was changed may be a server of the operator's own. */
const mayFetch = (id: string, { mayFetch: said, baseUrl }: ProviderCredential): boolean =>
  said ?? isVendor(id, baseUrl);

function isVendor(id: string, baseUrl: string): boolean {
  const known = knownProvider(id);
  return known !== null && !known.ownServer && known.baseUrl === baseUrl.replace(/\/+$/, '');
}

/** What a header of the operator's must not say: who asks, where, how the body is read, and what one connection agrees on. */
const ours: ReadonlySet<string> = new Set([
  ...['authorization', 'proxy-authorization', 'api-key', 'x-api-key', 'x-goog-api-key', 'cookie'],
  ...['host', 'content-type', 'content-length', 'content-encoding', 'accept', 'accept-encoding', 'expect'],
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** Why a header cannot be sent besides our own, or null. */
export function headerFault(name: string, value: string): HeaderFault | null {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name)) return 'name';
  if (ours.has(name.toLowerCase())) return 'own';
  if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,4094}[\x21-\x7e])?$/.test(value)) return 'value';
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
