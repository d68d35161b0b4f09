import { Hono } from 'hono';
import { readJson } from '../lib/read-json.ts';
import { answerResponse, askerOf, type ChatDeps, type ChatForm } from './answer-response.ts';
import { chatCompletionsHandler } from './chat-completions.ts';
import type { AppEnv } from './context.ts';
import { chatBodyLimit } from './policies.ts';
import { createPromptWriter, promptResponse } from './prompt-writer.ts';
import { promptQuestion } from './question.ts';

const form: ChatForm = { idPrefix: 'chat', writer: createPromptWriter, response: promptResponse };

/** `POST /chat` and `POST /api/chat` (wire contract §1.2) and `POST /v1/chat/completions` (§1.3). */
export function chatRoutes(deps: ChatDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.on('POST', ['/chat', '/api/chat'], async (context) => {
    const request = context.req.raw;
    const body = await readJson(request, chatBodyLimit);
    const about = { requestId: context.var.requestId, principal: context.var.principal, headers: request.headers };
    return answerResponse(promptQuestion(body, about), form, deps, askerOf(context));
  });
  routes.post('/v1/chat/completions', chatCompletionsHandler(deps));
  return routes;
}
