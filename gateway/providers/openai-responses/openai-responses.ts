import { AppError } from '#shared/errors.ts';
import { lightBytes } from '../../runtime/json/parse-json.ts';
import { upstreamBody } from '../changed-request.ts';
import { openAiCall } from '../openai-compatible/openai-compatible.ts';
import type { ProviderContext, ProviderRequest, TakeEvents } from '../provider.ts';
import { answerEvents } from '../upstream/event-stream.ts';
import { upstreamFetch } from '../upstream/upstream-fetch.ts';
import { ResponseReader } from './response-events.ts';
import type { Extras } from './responses-body.ts';

/** Answers through OpenAI's Responses API, at the URL of `call`. */
export async function chatByResponses(
  request: ProviderRequest,
  extras: Extras,
  context: ProviderContext,
  take: TakeEvents,
  call = openAiCall('openai', context, '/responses'),
): Promise<void> {
  const body = await upstreamBody(request, { kind: 'responses', extras });
  const response = await upstreamFetch({ ...call, body }).catch(explain);
  // A body that's still an object was short when it arrived: `lightBytes` at most.
  const requestBytes = body instanceof Uint8Array ? body.byteLength : lightBytes;
  const reader = new ResponseReader(request.model, requestBytes, request.clientTools);
  await answerEvents(response, call.provider, reader, context, take);
}

/**
 * A server at OpenAI's place may not have this API. Then it answers 404 without OpenAI's error code, and the model
 * isn't the reason.
 */
function explain(error: unknown): never {
  const reported = error instanceof AppError ? error.providerError : null;
  if (reported?.status !== 404 || reported.code !== null) throw error;
  const message =
    "The server in OpenAI's place has no Responses API, by which alone this model takes tools and thinking.";
  const { provider } = error as AppError;
  throw new AppError('upstream_error', message, { provider, providerError: reported, cause: error });
}
