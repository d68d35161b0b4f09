import type { ResponsesAnswer } from '#shared/wire/responses-answer.ts';
import { errorEnvelope } from '../../http/error-response.ts';
import type { AnswerIdentity } from '../chat/prompt-writer.ts';
import type { ChatCall } from '../chat/read-request.ts';
import type { StreamWriter } from '../chat/stream-writer.ts';
import { createOutputItems } from './item-writer.ts';
import type { ResponseEvent } from './open-items.ts';
import { begunResponse, finishedResponse, isComplete } from './response-object.ts';

/**
 * The events of a streamed response, each with its name and number
 * (https://developers.openai.com/api/reference/resources/beta/subresources/responses/streaming-events and what openai-node 7.57
 * accepts, read 2026-11-22).
 */
export function createResponseWriter(
  identity: AnswerIdentity,
  { echo, question }: Pick<ChatCall, 'echo' | 'question'>,
  keep: (response: ResponsesAnswer) => Promise<void> | undefined,
): StreamWriter {
  let begun = begunResponse(identity, null, echo);
  const output = createOutputItems(identity.id.slice('resp_'.length), question.clientTools);
  let number = 0;
  let keeping: Promise<void> | undefined;

  function say(events: readonly ResponseEvent[]): string {
    let text = '';
    for (const event of events) {
      text += `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: number })}\n\n`;
      number += 1;
    }
    return text;
  }

  return {
    opening(route) {
      begun = begunResponse(identity, route, echo);
      const types = ['response.created', 'response.in_progress'];
      return say(types.map((type) => ({ type, response: begun })));
    },
    delta: (part) => say(output.add(part)),
    closing(finish) {
      const whole = isComplete(finish);
      const events = output.close(whole ? 'completed' : 'incomplete');
      const type = whole ? 'response.completed' : 'response.incomplete';
      const response = finishedResponse(begun, output.items, finish);
      keeping = keep(response);
      return say([...events, { type, response }]);
    },
    kept: () => keeping,
    // OpenAI's own clients throw what `error` says; others look at how the response ended.
    failure(error) {
      const { error: said } = errorEnvelope(error, identity.requestId);
      const { code, message } = said;
      const response = { ...begun, status: 'failed', error: { code, message }, output: output.items };
      return say([
        { type: 'error', code, message, param: said.param, error: said },
        { type: 'response.failed', response },
      ]);
    },
  };
}
