import { AppError } from '#shared/errors.ts';
import { lightBytes } from '../../runtime/json/parse-json.ts';
import { upstreamBody } from '../changed-request.ts';
import { openAiCall } from '../openai-compatible/openai-compatible.ts';
import type { ProviderContext, ProviderRequest, TakeEvents } from '../provider.ts';
import { answerEvents } from '../upstream/event-stream.ts';
import { upstreamFetch } from '../upstream/upstream-fetch.ts';
import { createResponseReader } from './response-events.ts';
import type { Extras } from './responses-body.ts';

/** Answers by OpenAI's Responses API, where `call` says it is. */
export async function chatByResponses(
  request: ProviderRequest,
  extras: Extras,
  context: ProviderContext,
  take: TakeEvents,
  call = openAiCall('openai', context, '/responses'),
): Promise<void> {
  const body = await upstreamBody(request, { kind: 'responses', extras });
  const response = await upstreamFetch({ ...call, body }).catch(explain);
  // A body that is an object was short when it came.
  const requestBytes = body instanceof Uint8Array ? body.byteLength : lightBytes;
  const reader = createResponseReader(request.model, requestBytes, request.clientTools);
  await answerEvents(response, call.provider, reader, context, take);
}

/** A server in OpenAI's place may not have this API: it then says 404 in words of its own, and the model is not the reason. */
function explain(error: unknown): never {
  const said = error instanceof AppError ? error.providerError : null;
  if (said?.status !== 404 || said.code !== null) throw error;
  const message =
    "The server in OpenAI's place has no Responses API, by which alone this model takes tools and thinking.";
  const { provider } = error as AppError;
  throw new AppError('upstream_error', message, { provider, providerError: said, cause: error });
}
