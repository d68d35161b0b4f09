import { AppError } from '#shared/errors.ts';
import { isApiKey } from './api-key.ts';

/** What the `Authorization` header holds, before anything was looked up. */
export type PresentedCredential =
  | { readonly type: 'api_key'; readonly key: string }
  | { readonly type: 'jwt'; readonly token: string };

/** Longer tokens are refused unread (wire contract §4.6). */
const tokenLimit = 8192;
const headerLimit = 'Bearer '.length + tokenLimit;
/** Exactly one space, visible ASCII, nothing trimmed. Two headers arrive joined by `, ` and fail here too. */
const grammar = /^([A-Za-z]+) ([\x21-\x7e]+)$/;
const jwtShape = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** Reads the header (wire contract §4.3). Throws 401 `missing_credentials`, `malformed_authorization`, `invalid_api_key`, `invalid_token`. */
export function parseAuthorization(header: string | null): PresentedCredential {
  if (header === null || header === '') {
    throw new AppError('missing_credentials', 'Send your API key in the header "Authorization: Bearer <API key>".');
  }
  const match = header.length > headerLimit ? null : grammar.exec(header);
  const scheme = match?.[1]?.toLowerCase();
  const token = match?.[2];
  if (!token || (scheme !== 'bearer' && scheme !== 'apikey')) {
    throw new AppError(
      'malformed_authorization',
      'The Authorization header must be "Bearer <API key>" or "ApiKey <API key>": one header, one space, no other characters.',
    );
  }
  if (token.startsWith('sk-')) return apiKey(token);
  if (scheme === 'bearer' && jwtShape.test(token)) return { type: 'jwt', token };
  throw new AppError('invalid_api_key', invalidKey);
}

function apiKey(token: string): PresentedCredential {
  if (!isApiKey(token)) throw new AppError('invalid_api_key', invalidKey);
  return { type: 'api_key', key: token };
}

/** One sentence for all reasons, so that an answer never tells an unknown key from a revoked one. */
export const invalidKey = 'This API key is not valid. Check that it was copied completely and has not been revoked.';

/**
 * A request's credential in the words of `Authorization`: that header, or on Anthropic's endpoints `x-api-key`, where its clients
 * put an API key. Where both are sent the first one holds: clients send both when they have a key for somebody else, too.
 */
export function credentialIn(head: { header(name: string): string | null }, takesApiKeyHeader: boolean): string | null {
  const authorization = head.header('authorization');
  if (authorization !== null || !takesApiKeyHeader) return authorization;
  const key = head.header('x-api-key');
  return key === null || key === '' ? null : `ApiKey ${key}`;
}
