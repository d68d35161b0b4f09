import type { ChatMessage, ContentPart } from '#shared/wire/chat-request.ts';
import { saysNothing } from './conversation-shape.ts';

/**
 * What is done to a conversation that a model would refuse: a turn of the user's before its first or after its last one, the
 * last instruction as the user's turn where there are instructions only, pictures in results as a turn after them.
 */
export type TurnRepair = 'begin_with_user' | 'end_with_user' | 'instruction_as_user' | 'pictures_after_results';

/** The conversation with these repairs; the messages that need none stay the same objects. */
export function repairedTurns(messages: readonly ChatMessage[], repairs: readonly TurnRepair[]): ChatMessage[] {
  return repairs.reduce((turns, repair) => getRepair[repair](turns), [...messages]);
}

const getRepair: Readonly<Record<TurnRepair, (messages: ChatMessage[]) => ChatMessage[]>> = {
  begin_with_user: beginWithUser,
  end_with_user: (messages) => [...messages, userTurn('Continue.')],
  instruction_as_user: instructionAsUser,
  pictures_after_results: picturesAfterResults,
};

const userTurn = (content: string | ContentPart[]): ChatMessage => ({ role: 'user', content, name: undefined });
const isInstruction = ({ role }: ChatMessage) => role === 'system' || role === 'developer';

function beginWithUser(messages: ChatMessage[]): ChatMessage[] {
  const at = messages.findIndex((message) => !isInstruction(message));
  return messages.toSpliced(Math.max(at, 0), 0, userTurn('(The conversation begins.)'));
}

function instructionAsUser(messages: ChatMessage[]): ChatMessage[] {
  const at = messages.findLastIndex((message) => isInstruction(message) && !saysNothing(message));
  const message = messages[at];
  if (!message || !isInstruction(message)) return [...messages, userTurn('(No message.)')];
  return messages.toSpliced(at, 1, { ...message, role: 'user', name: undefined } as ChatMessage);
}

/** Results of parallel calls stand together: their pictures come after the last of them. */
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
