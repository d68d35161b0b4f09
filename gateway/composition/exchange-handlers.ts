import { answerChat, type ChatDeps, type ChatForm } from '../api/chat/answer-chat.ts';
import { completionResponse, createCompletionWriter } from '../api/chat/completion-writer.ts';
import { createPromptWriter, promptResponse } from '../api/chat/prompt-writer.ts';
import { completionReader, promptReader } from '../api/chat/read-chat-request.ts';
import { messagesHandler } from '../api/messages/messages-form.ts';
import { responsesHandler } from '../api/responses/responses-form.ts';
import type { ExchangeHandler } from '../http/request-context.ts';

/** The form of `POST /chat` and `POST /api/chat` (wire contract §1.2). */
const prompt: ChatForm = {
  reader: promptReader,
  idPrefix: 'chat_',
  writer: (identity, { customTools }) => createPromptWriter(identity, customTools),
  response: promptResponse,
};

/** The form of `POST /v1/chat/completions` (wire contract §1.3). */
const completion: ChatForm = {
  reader: completionReader,
  idPrefix: 'chatcmpl-',
  writer: (identity, { includeUsage, customTools }) => createCompletionWriter(identity, includeUsage, customTools),
  response: completionResponse,
};

/** The handlers of all chat routes, by their paths. */
export function exchangeHandlers(deps: ChatDeps): ReadonlyMap<string, ExchangeHandler> {
  const toHandler =
    (form: ChatForm): ExchangeHandler =>
    (context, exchange) =>
      answerChat(context, exchange, form, deps);
  return new Map([
    ['/chat', toHandler(prompt)],
    ['/api/chat', toHandler(prompt)],
    ['/v1/chat/completions', toHandler(completion)],
    ['/v1/responses', responsesHandler(deps)],
    ['/v1/messages', messagesHandler(deps)],
  ]);
}
