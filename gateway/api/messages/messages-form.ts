import type { MessagesAnswer } from '#shared/wire/messages-answer.ts';
import type { ExchangeHandler } from '../../http/answer-exchange.ts';
import { answerChat, type ChatDeps, type ChatForm } from '../chat/answer-chat.ts';
import { type FormedAnswer, getParts } from '../chat/kept-answer.ts';
import type { ChatCall } from '../chat/read-request.ts';
import { createMessageBlocks } from './message-blocks.ts';
import { begunMessage, messageEnd } from './message-object.ts';
import { createMessageWriter } from './message-writer.ts';
import { messagesReader } from './read-messages-request.ts';

const hidesThinking = ({ echo }: Pick<ChatCall, 'echo'>) => echo?.short.hidesThinking === true;

/** Of `POST /v1/messages`: Anthropic's Messages API. */
const messages: ChatForm = {
  reader: messagesReader,
  idPrefix: 'msg_',
  writer: (identity, call) => createMessageWriter(identity, hidesThinking(call)),
  response: wholeMessage,
};

function wholeMessage(answer: FormedAnswer, call: ChatCall): MessagesAnswer {
  const { identity, route, finish } = answer;
  const blocks = createMessageBlocks(hidesThinking(call));
  for (const part of getParts(answer)) if (part.type !== 'route' && part.type !== 'finish') blocks.add(part);
  blocks.close();
  const content = [...blocks.content] as MessagesAnswer['content'];
  return { ...begunMessage(identity, route), content, ...messageEnd(finish, blocks) };
}

/** Answers `POST /v1/messages`; Anthropic's clients look for the request's id in a header of this name. */
export const messagesHandler =
  (deps: ChatDeps): ExchangeHandler =>
  (admitted) => {
    const id = { 'request-id': admitted.requestId };
    return answerChat(
      {
        ...admitted,
        send: (status, headers, text) => admitted.send(status, { ...headers, ...id }, text),
        open: (status, headers) => admitted.open(status, { ...headers, ...id }),
      },
      messages,
      deps,
    );
  };
