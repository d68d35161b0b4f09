import type { ChatMessage, ContentPart } from '#shared/wire/chat-request.ts';
import { hasNoContent } from './conversation-shape.ts';

/**
 * A change to a conversation that its model would refuse: a user's turn is added before the first or after the last
 * turn, the last instruction becomes a user's turn if there are only instructions, pictures in tool results move to a
 * turn after them, or a turn of the model's is added between tool results and a user's turn.
 */
export type TurnRepair =
  | 'begin_with_user'
  | 'end_with_user'
  | 'instruction_as_user'
  | 'pictures_after_results'
  | 'answer_after_results';

/** Applies the repairs. Messages that need none stay the same objects. */
export function repairedTurns(messages: readonly ChatMessage[], repairs: readonly TurnRepair[]): ChatMessage[] {
  return repairs.reduce((turns, repair) => getRepair[repair](turns), [...messages]);
}

const getRepair: Readonly<Record<TurnRepair, (messages: ChatMessage[]) => ChatMessage[]>> = {
  begin_with_user: beginWithUser,
  end_with_user: (messages) => [...messages, userTurn('Continue.')],
  instruction_as_user: instructionAsUser,
  pictures_after_results: picturesAfterResults,
  answer_after_results: (messages) =>
    messages.flatMap((message, index) =>
      message.role === 'user' && messages[index - 1]?.role === 'tool' ? [interrupted, message] : [message],
    ),
};

const interrupted = { role: 'assistant', content: '(The user interrupted.)' } as ChatMessage;

const userTurn = (content: string | ContentPart[]): ChatMessage => ({ role: 'user', content, name: undefined });
const isInstruction = ({ role }: ChatMessage) => role === 'system' || role === 'developer';

function beginWithUser(messages: ChatMessage[]): ChatMessage[] {
  const index = messages.findIndex((message) => !isInstruction(message));
  return messages.toSpliced(Math.max(index, 0), 0, userTurn('(The conversation begins.)'));
}

function instructionAsUser(messages: ChatMessage[]): ChatMessage[] {
  const index = messages.findLastIndex((message) => isInstruction(message) && !hasNoContent(message));
  const message = messages[index];
  if (!message || !isInstruction(message)) return [...messages, userTurn('(No message.)')];
  return messages.toSpliced(index, 1, { ...message, role: 'user', name: undefined } as ChatMessage);
}

/** Results of parallel calls must stay together, so their pictures come after the last of them. */
function picturesAfterResults(messages: ChatMessage[]): ChatMessage[] {
  const turns: ChatMessage[] = [];
  let pictures: ContentPart[] = [];
  const showPictures = () => {
    if (pictures.length > 0) turns.push(userTurn([{ type: 'text', text: 'Pictures of these results:' }, ...pictures]));
    pictures = [];
  };
  for (const message of messages) {
    if (message.role !== 'tool') showPictures();
    if (message.role !== 'tool' || typeof message.content === 'string') turns.push(message);
    else {
      pictures.push(...message.content.filter((part) => part.type === 'image_url'));
      const texts = message.content.filter((part) => part.type === 'text');
      turns.push({ ...message, content: texts.length > 0 ? texts : '(A picture; it follows.)' });
    }
  }
  showPictures();
  return turns;
}
