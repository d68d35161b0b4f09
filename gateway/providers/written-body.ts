import { messagesBody } from './anthropic/request-body.ts';
import { generateBody } from './google/request-body.ts';
import type { Dialect } from './openai-compatible/dialects.ts';
import { completionBody } from './openai-compatible/request-body.ts';
import { completionBytes } from './openai-compatible/request-bytes.ts';
import type { ProviderRequest } from './provider.ts';

/** Whose words a request's body is written in. */
export type BodyWriter =
  | { readonly kind: 'completions'; readonly dialect: Dialect }
  | { readonly kind: 'messages' }
  | { readonly kind: 'generate' };

/** What an upstream is sent: an object to be written as JSON, or its bytes. */
export function writtenBody(request: ProviderRequest, writer: BodyWriter): object | Uint8Array {
  switch (writer.kind) {
    case 'completions':
      return completionBytes(request, writer.dialect) ?? completionBody(request, writer.dialect);
    case 'messages':
      return messagesBody(request);
    case 'generate':
      return generateBody(request);
  }
}
