import { messagesBody } from './anthropic/anthropic-body.ts';
import { withCallState } from './call-state.ts';
import { changedRequest } from './changed-request.ts';
import { generateBody } from './google/google-body.ts';
import { completionBody } from './openai-compatible/completion-body.ts';
import { completionBytes } from './openai-compatible/completion-bytes.ts';
import type { Dialect } from './openai-compatible/dialects.ts';
import { type Extras, responsesBody } from './openai-responses/responses-body.ts';
import type { ProviderRequest } from './provider.ts';

/** Whose words a request's body is written in. */
export type BodyWriter =
  | { readonly kind: 'completions'; readonly dialect: Dialect }
  | { readonly kind: 'responses'; readonly extras: Extras }
  | { readonly kind: 'messages' }
  | { readonly kind: 'generate' };

/** What an upstream is sent: an object to be written as JSON, or its bytes. */
export function writtenBody(given: ProviderRequest, writer: BodyWriter): object | Uint8Array {
  const changed = changedRequest(given);
  const messages = withCallState(changed.messages, changed.recalled);
  const request = messages === changed.messages ? changed : { ...changed, messages };
  switch (writer.kind) {
    case 'completions':
      return completionBytes(request, writer.dialect) ?? completionBody(request, writer.dialect);
    case 'responses':
      return responsesBody(request, writer.extras);
    case 'messages':
      return messagesBody(request);
    case 'generate':
      return generateBody(request);
  }
}
