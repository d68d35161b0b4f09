import type { ChatDeps } from '../api/chat/answer-chat.ts';
import { chatHandlers } from '../api/chat/chat-forms.ts';
import { messagesHandler } from '../api/messages/messages-form.ts';
import { responsesHandler } from '../api/responses/responses-form.ts';
import type { ExchangeHandler } from '../http/answer-exchange.ts';

/** What answers chats, in all their forms, by its path. */
export const exchangeHandlers = (deps: ChatDeps): ReadonlyMap<string, ExchangeHandler> =>
  new Map([...chatHandlers(deps), ['/v1/responses', responsesHandler(deps)], ['/v1/messages', messagesHandler(deps)]]);
