import { AppError } from '#shared/errors.ts';
import { lightBytes } from '../../runtime/json/parse-json.ts';
import { upstreamBody } from '../changed-request.ts';
import type { ProviderContext, ProviderRequest, TakeEvents } from '../provider.ts';
import { answerEvents } from '../upstream/event-stream.ts';
import { type UpstreamCall, upstreamFetch } from '../upstream/upstream-fetch.ts';
import { ResponseReader } from './response-events.ts';
import type { Extras } from './responses-body.ts';

type ResponsesCall = Omit<UpstreamCall, 'body'>;

/** Answers through OpenAI's Responses API, at the URL of `call`. */
export async function chatByResponses(
  request: ProviderRequest,
  extras: Extras,
  context: ProviderContext,
  take: TakeEvents,
  call: ResponsesCall,
): Promise<void> {
  const body = await upstreamBody(request, { kind: 'responses', extras });
  const response = await upstreamFetch({ ...call, body }).catch((error: unknown) => {
    throw call.provider === 'openai' && hasNoResponses(error) ? explained(error) : error;
  });
  // A body that's still an object was short when it arrived: `lightBytes` at most.
  const requestBytes = body instanceof Uint8Array ? body.byteLength : lightBytes;
  const reader = new ResponseReader(request.model, requestBytes, request.clientTools);
  await answerEvents(response, call.provider, reader, context, take);
}

/**
 * A server at OpenAI's place may not have this API. Then it answers 404 without OpenAI's error code, and the model
 * isn't the reason.
 */
export function hasNoResponses(error: unknown): error is AppError {
  const reported = error instanceof AppError ? error.providerError : null;
  return [404, 405, 501].includes(reported?.status ?? 0) && reported?.code === null;
}

function explained(error: AppError): AppError {
  const { provider, providerError } = error;
  const message =
    "The server in OpenAI's place has no Responses API, by which alone this model takes tools and thinking.";
  return new AppError('upstream_error', message, { provider, providerError, cause: error });
}
