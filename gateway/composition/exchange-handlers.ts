import type { ChatDeps } from '../chat/answer-chat.ts';
import { chatHandlers } from '../chat/chat-forms.ts';
import type { ExchangeHandler } from '../http/answer-exchange.ts';
import { messagesHandler } from '../messages/messages-form.ts';
import { responsesHandler } from '../responses/responses-form.ts';

/** What answers chats, in all their forms, by its path. */
export const exchangeHandlers = (deps: ChatDeps): ReadonlyMap<string, ExchangeHandler> =>
  new Map([...chatHandlers(deps), ['/v1/responses', responsesHandler(deps)], ['/v1/messages', messagesHandler(deps)]]);
