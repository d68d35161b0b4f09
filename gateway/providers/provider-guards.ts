import { AppError, type ErrorCode } from '#shared/errors.ts';
import type { HeaderFault } from '#shared/header-faults.ts';
import { knownProvider } from '#shared/known-providers.ts';
import { readOnTheWay } from '#shared/plain-http.ts';
import { getRemoteFiles } from './changed-request.ts';
import type { Provider, ProviderContext, ProviderCredential } from './provider.ts';
import { mayCarrySecrets } from './upstream/dispatch-fetch.ts';
import { type Download, fetchFiles, getDocuments } from './upstream/fetched-files.ts';
import { withMessage, withoutMessage } from './upstream/upstream-error.ts';

/** A shorter text is no secret, and could be part of any word. */
const minChars = 6;
const redacted = '[redacted]';

/**
 * With these codes the provider's message is about the request itself, so it's passed on to every caller (wire contract
 * §3.3).
 */
const aboutRequest = new Set<ErrorCode>([
  'upstream_invalid_request',
  'context_length_exceeded',
  'content_policy_violation',
]);

/**
 * Wraps a provider so that its errors never contain the key and the headers that it was called with. Unless
 * `showsProviderMessages` is set, they also leave out what the provider reports about the account behind the key (wire
 * contract §3.3).
 */
export function withoutKey(provider: Provider, showsProviderMessages = false): Provider {
  const { checkKey, embed } = provider;
  const keeping =
    ({ apiKey, headers }: ProviderCredential) =>
    (error: unknown): never => {
      const secrets = [...(apiKey ? [apiKey] : []), ...secretValues(headers)];
      const shown = showsProviderMessages ? error : withoutWords(error);
      throw secrets.reduce((left, secret) => cleared(left, secret.reveal()), shown);
    };
  return {
    ...provider,
    chat: (request, context, take) => provider.chat(request, context, take).catch(keeping(context.credential)),
    ...(embed ? { embed: (request, context) => embed(request, context).catch(keeping(context.credential)) } : {}),
    models: (context) => provider.models(context).catch(keeping(context.credential)),
    ...(checkKey ? { checkKey: (context) => checkKey(context).catch(keeping(context.credential)) } : {}),
  };
}

/** Words in the names of headers that carry secrets. */
const secretNames =
  /(^|[-_])(auth\w*|api-?key|key|token|secret|pass\w*|cookie|session|signature|credentials?|jwt)([-_]|$)/i;
/** A header of another name may carry a secret as well, but a short value is a word such as "openai", which errors contain. */
const wordChars = 16;

const secretValues = (headers: ProviderCredential['headers']) =>
  [...(headers ?? [])].flatMap(([name, value]) =>
    secretNames.test(name) || value.reveal().length >= wordChars ? [value] : [],
  );

function cleared(error: unknown, key: string): unknown {
  if (!(error instanceof AppError) || key.length < minChars) return error;
  const clear = (text: string) => withoutTail(text.replaceAll(key, redacted), key);
  const clearOr = (text: string | null) => (text === null ? null : clear(text));
  const reported = error.providerError;
  const providerError = reported && {
    status: reported.status,
    code: clearOr(reported.code),
    param: clearOr(reported.param),
    message: clearOr(reported.message),
  };
  const message = clear(error.message);
  if (message === error.message && JSON.stringify(providerError) === JSON.stringify(reported)) return error;
  return withMessage(error, message, providerError);
}

function withoutWords(error: unknown): unknown {
  if (!(error instanceof AppError) || !error.providerError || aboutRequest.has(error.code)) return error;
  return error.code === 'upstream_auth_failed' ? withMessage(error, error.message, null) : withoutMessage(error);
}

/**
 * A provider's message is cut to a paragraph, perhaps in the middle of the key. This removes the beginning of a key at
 * the end of a message.
 */
function withoutTail(message: string, key: string): string {
  for (let length = key.length - 1; length >= minChars; length -= 1) {
    if (message.endsWith(key.slice(0, length))) return message.slice(0, -length) + redacted;
  }
  return message;
}

/**
 * Wraps a provider so that it gets a URL only if it can and may fetch it. Otherwise it gets the bytes, which the
 * gateway downloads. OpenAI's chat completions and Google's API accept no document by its URL, so documents are always
 * downloaded. A self-hosted server would fetch from its own network, past every guard: from its own machine, from the
 * operator's network, or from the cloud's metadata service (docs/decisions/033-who-may-fetch.md).
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

/**
 * The operator's setting decides. Without one, only a vendor at its own address may fetch, because behind a changed
 * address there may be the operator's own server.
 */
const mayFetch = (id: string, { mayFetch: setting, baseUrl }: ProviderCredential): boolean =>
  setting ?? isVendor(id, baseUrl);

function isVendor(id: string, baseUrl: string): boolean {
  const known = knownProvider(id);
  return known !== null && !known.ownServer && known.baseUrl === baseUrl.replace(/\/+$/, '');
}

/**
 * Headers that an operator may not set: credentials, the host, the format of the body, and what belongs to a single
 * connection.
 */
const ours: ReadonlySet<string> = new Set([
  ...['authorization', 'proxy-authorization', 'api-key', 'x-api-key', 'x-goog-api-key', 'cookie'],
  ...['host', 'content-type', 'content-length', 'content-encoding', 'accept', 'accept-encoding', 'expect'],
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** Returns why an extra header can't be sent with a request, or null. */
export function headerFault(name: string, value: string): HeaderFault | null {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name)) return 'name';
  if (ours.has(name.toLowerCase())) return 'own';
  if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,4094}[\x21-\x7e])?$/.test(value)) return 'value';
  return null;
}

/**
 * Wraps a provider so that its requests carry the headers of its credential. Headers that the adapter sets itself take
 * precedence.
 */
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
