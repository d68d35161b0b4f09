import type { Context } from 'hono';
import type { AppEnv } from '../http/context.ts';
import { answerRequest } from './answer-request.ts';
import type { ChatDeps, ChatForm } from './chat-response.ts';
import { completionResponse, createCompletionWriter } from './completion-writer.ts';

const form: ChatForm = {
  name: 'completion',
  idPrefix: 'chatcmpl',
  writer: (identity, call) => createCompletionWriter(identity, call.includeUsage),
  response: completionResponse,
};

/** Answers `POST /v1/chat/completions` (wire contract §1.3). */
export const chatCompletionsHandler =
  (deps: ChatDeps) =>
  (context: Context<AppEnv>): Promise<Response> =>
    answerRequest(context, form, deps);
