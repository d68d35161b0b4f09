import { answerEvents } from '../../upstream/event-stream.ts';
import { upstreamFetch } from '../../upstream/upstream-fetch.ts';
import { openAiCall } from '../openai-compatible/openai-compatible.ts';
import type { ProviderContext, ProviderRequest, TakeEvents } from '../provider.ts';
import { upstreamBody } from '../upstream-body.ts';
import { createResponseReader } from './response-events.ts';
import type { Extras } from './responses-body.ts';

/** Answers by OpenAI's Responses API. */
export async function chatByResponses(
  request: ProviderRequest,
  extras: Extras,
  context: ProviderContext,
  take: TakeEvents,
): Promise<void> {
  const response = await upstreamFetch({
    ...openAiCall('openai', context, '/responses'),
    body: await upstreamBody(request, { kind: 'responses', extras }),
  });
  await answerEvents(response, 'openai', createResponseReader(request.model), context, take);
}
