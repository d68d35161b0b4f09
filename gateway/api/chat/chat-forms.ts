import type { ExchangeHandler } from '../../http/answer-exchange.ts';
import { answerChat, type ChatDeps, type ChatForm } from './answer-chat.ts';
import { completionResponse, createCompletionWriter } from './completion-writer.ts';
import { createPromptWriter, promptResponse } from './prompt-writer.ts';
import { completionReader, promptReader } from './read-question.ts';

/** Of `POST /chat` and `POST /api/chat` (wire contract §1.2). */
const prompt: ChatForm = {
  reader: promptReader,
  idPrefix: 'chat_',
  writer: (identity, call) => createPromptWriter(identity, call.customTools),
  response: promptResponse,
};

/** Of `POST /v1/chat/completions` (wire contract §1.3). */
const completion: ChatForm = {
  reader: completionReader,
  idPrefix: 'chatcmpl-',
  writer: (identity, call) => createCompletionWriter(identity, call.includeUsage, call.customTools),
  response: completionResponse,
};

/** What answers the gateway's own chat routes, by their paths. */
export function chatHandlers(deps: ChatDeps): Map<string, ExchangeHandler> {
  const handler =
    (form: ChatForm): ExchangeHandler =>
    (admitted) =>
      answerChat(admitted, form, deps);
  return new Map([
    ['/chat', handler(prompt)],
    ['/api/chat', handler(prompt)],
    ['/v1/chat/completions', handler(completion)],
  ]);
}
