import type { Context } from 'hono';
import { readJson } from '../lib/read-json.ts';
import { answerResponse, askerOf, type ChatDeps, type ChatForm } from './answer-response.ts';
import { completionResponse, createCompletionWriter } from './completion-writer.ts';
import type { AppEnv } from './context.ts';
import { chatBodyLimit } from './policies.ts';
import { completionQuestion } from './question.ts';

const form: ChatForm = {
  idPrefix: 'chatcmpl',
  writer: (identity, asked) => createCompletionWriter(identity, asked.includeUsage),
  response: completionResponse,
};

/** Answers `POST /v1/chat/completions` (wire contract §1.3). */
export const chatCompletionsHandler =
  (deps: ChatDeps) =>
  async (context: Context<AppEnv>): Promise<Response> => {
    const request = context.req.raw;
    const body = await readJson(request, chatBodyLimit);
    const about = { requestId: context.var.requestId, principal: context.var.principal, headers: request.headers };
    return answerResponse(completionQuestion(body, about), form, deps, askerOf(context));
  };
