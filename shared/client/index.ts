/** The public exports of the package `@portico/client`. */

export type { CompletionRequestBody, PromptRequestBody } from '../wire/chat-request.ts';
export type { ApiKey, ChangeKeyRequest, CreatedApiKey, CreateKeyRequest } from '../wire/key.ts';
export type { RequestRecord } from '../wire/request-record.ts';
export {
  type CompletionStream,
  type GatewayClient,
  type GatewayClientOptions,
  gatewayClient,
  type PageQuery,
  type RequestOptions,
  type RequestsQuery,
} from './gateway-client.ts';
export { GatewayError } from './gateway-error.ts';
export type * from './reported.ts';
