import { AppError } from '#shared/errors.ts';
import { isApiKey } from './api-key.ts';

/** The parsed `Authorization` header. Nothing has been looked up yet. */
export type PresentedCredential =
  | { readonly type: 'api_key'; readonly key: string }
  | { readonly type: 'jwt'; readonly token: string };

/** A longer token is refused without being parsed (wire contract §4.6). */
const tokenLimit = 8192;
const headerLimit = 'Bearer '.length + tokenLimit;
/** Exactly one space and visible ASCII; nothing is trimmed. Two headers arrive joined by `, ` and don't match. */
const grammar = /^([A-Za-z]+) ([\x21-\x7e]+)$/;
const jwtShape = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/**
 * Parses the header (wire contract §4.3). Throws 401 `missing_credentials`, `malformed_authorization`, `invalid_api_key` or
 * `invalid_token`.
 */
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

/** One message for every reason, so the answer doesn't reveal whether a key is unknown or revoked. */
export const invalidKey = 'This API key is not valid. Check that it was copied completely and has not been revoked.';

/**
 * Returns a request's credential in the form of `Authorization`: from that header, or on Anthropic's endpoints from `x-api-key`,
 * where its clients put an API key. If both are sent, `Authorization` wins: clients send both when they also have a key for
 * somebody else.
 */
export function credentialIn(head: { header(name: string): string | null }, takesApiKeyHeader: boolean): string | null {
  const authorization = head.header('authorization');
  if (authorization !== null || !takesApiKeyHeader) return authorization;
  const key = head.header('x-api-key');
  return key === null || key === '' ? null : `ApiKey ${key}`;
}
