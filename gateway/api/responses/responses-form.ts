import { AppError } from '#shared/errors.ts';
import type { ResponsesAnswer } from '#shared/wire/responses-answer.ts';
import type { ExchangeHandler } from '../../http/answer-exchange.ts';
import { answerChat, type ChatDeps, type ChatForm } from '../chat/answer-chat.ts';
import { getParts } from '../chat/kept-answer.ts';
import { createEarlierResponses, type EarlierResponses } from './earlier-items.ts';
import { createOutputItems } from './item-writer.ts';
import { ownName } from './own-names.ts';
import { responsesReader } from './read-responses-request.ts';
import { begunResponse, finishedResponse, isComplete } from './response-object.ts';
import { createResponseWriter } from './response-writer.ts';

/** Of `POST /v1/responses`: OpenAI's Responses API, whose items are kept for a while and whose responses are not. */
const responsesForm = ({ keep, recall }: EarlierResponses): ChatForm => ({
  reader: responsesReader,
  idPrefix: 'resp_',
  writer: (identity, call) => createResponseWriter(identity, call, (response) => keep(call, response)),
  response(answer, { echo, question }) {
    const { identity, route, finish } = answer;
    const output = createOutputItems(identity.id.slice('resp_'.length), question.clientTools);
    for (const part of getParts(answer)) if (part.type !== 'route' && part.type !== 'finish') output.add(part);
    output.close(isComplete(finish) ? 'completed' : 'incomplete');
    return finishedResponse(begunResponse(identity, route, echo), output.items, finish);
  },
  keep: (response, call) => keep(call, response as ResponsesAnswer),
  recall,
});

/** Answers `POST /v1/responses`. */
export function responsesHandler(deps: ChatDeps): ExchangeHandler {
  const form = responsesForm(createEarlierResponses(deps));
  return (admitted) =>
    answerChat(admitted, form, deps).catch((error: unknown) => {
      throw error instanceof AppError ? inOwnNames(error) : error;
    });
}

function inOwnNames(error: AppError): AppError {
  const param = ownName(error.param);
  if (param === error.param) return error;
  const { code, message, provider, providerError, retryAfterMs, details, cause } = error;
  return new AppError(code, message, {
    param,
    provider,
    providerError,
    cause,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(details ? { details } : {}),
  });
}
