import type { ProviderRequest } from '../provider.ts';
import { completionBody } from './completion-body.ts';
import type { Dialect } from './dialects.ts';

/** Below this, spelling the messages again costs less than taking care not to. */
const longMessages = 4_096;
const noMessages = '"messages":[]';

/** The body of `POST /chat/completions` around messages that go out as they came in; null where they cannot. */
export function completionBytes(request: ProviderRequest, dialect: Dialect): Uint8Array | null {
  const { messagesJson, messages } = request;
  if (!messagesJson || messagesJson.byteLength < longMessages) return null;
  if (!dialect.knowsDeveloperRole && messages.some(({ role }) => role === 'developer')) return null;
  const text = JSON.stringify(completionBody({ ...request, messages: [] }, dialect));
  const [before, after, ...more] = text.split(noMessages);
  if (before === undefined || after === undefined || more.length > 0) return null;
  return Buffer.concat([Buffer.from(`${before}"messages":`), messagesJson, Buffer.from(after)]);
}
