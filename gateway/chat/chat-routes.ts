import { Hono } from 'hono';
import type { AppEnv } from '../http/context.ts';
import { answerRequest } from './answer-request.ts';
import { chatCompletionsHandler } from './chat-completions.ts';
import type { ChatDeps, ChatForm } from './chat-response.ts';
import { createPromptWriter, promptResponse } from './prompt-writer.ts';

const form: ChatForm = { name: 'prompt', idPrefix: 'chat', writer: createPromptWriter, response: promptResponse };

/** `POST /chat` and `POST /api/chat` (wire contract §1.2) and `POST /v1/chat/completions` (§1.3). */
export function chatRoutes(deps: ChatDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.on('POST', ['/chat', '/api/chat'], (context) => answerRequest(context, form, deps));
  routes.post('/v1/chat/completions', chatCompletionsHandler(deps));
  return routes;
}
