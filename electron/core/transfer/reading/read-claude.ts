import { z } from 'zod';
import { cutText, foreignConversation, foreignMessage, type Imported } from './imported.ts';
import { type LeftTally, leftTally } from './left-tally.ts';

const time = z.string().max(60).nullish();
const claudeAttachment = z.looseObject({ file_name: z.string().nullish(), extracted_content: z.string().nullish() });
const claudeMessage = z.looseObject({
  uuid: z.string().max(200),
  parent_message_uuid: z.string().nullish(),
  sender: z.enum(['human', 'assistant']),
  text: z.string().nullish(),
  created_at: time,
  content: z
    .array(z.looseObject({ type: z.string(), text: z.string().nullish(), thinking: z.string().nullish() }))
    .nullish(),
  attachments: z.array(claudeAttachment).nullish(),
  files: z.array(z.unknown()).nullish(),
});

/** One conversation of Claude's `conversations.json`. */
export const claudeConversation = z.looseObject({
  uuid: z.string().max(200),
  name: z.string().nullish(),
  created_at: time,
  updated_at: time,
  chat_messages: z.array(claudeMessage),
});

type ClaudeMessage = z.infer<typeof claudeMessage>;

export function readClaude(chat: z.infer<typeof claudeConversation>, newId: () => string): Imported | null {
  const left = leftTally();
  const created = toMs(chat.created_at) ?? 0;
  /** Our id for each of theirs; of one that is left out, that of the message before it. */
  const ids = new Map<string, string | null>();
  let before: string | null = null;
  const messages = chat.chat_messages.flatMap((message) => {
    const known = message.parent_message_uuid ? ids.get(message.parent_message_uuid) : undefined;
    const parentId: string | null = known === undefined ? before : known;
    const { text, reasoning } = getContent(message, left);
    if (text.trim() === '') {
      ids.set(message.uuid, parentId);
      return [];
    }
    const id = newId();
    ids.set(message.uuid, id);
    before = id;
    return [
      foreignMessage({
        id,
        parentId,
        text: cutText(text, left),
        reasoning: cutText(reasoning, left),
        role: message.sender === 'human' ? 'user' : 'assistant',
        createdAt: toMs(message.created_at) ?? created,
        model: null,
        modelName: message.sender === 'human' ? null : 'Claude',
      }),
    ];
  });
  if (messages.length === 0) return null;
  return foreignConversation({
    sourceId: `claude:${chat.uuid}`,
    id: newId(),
    title: chat.name ?? '',
    leftOut: left.list(),
    messages,
    createdAt: created,
    updatedAt: toMs(chat.updated_at) ?? created,
    activeLeaf: messages.at(-1)?.id ?? null,
  });
}

function getContent(message: ClaudeMessage, left: LeftTally): { text: string; reasoning: string } {
  // What was pasted is an attachment there, of which the export has the words.
  const attached = (message.attachments ?? []).map(({ file_name: name, extracted_content: words }) =>
    words ? `${name ?? ''}\n\n${words}`.trim() : null,
  );
  left.add('files', attached.filter((words) => words === null).length + (message.files?.length ?? 0));
  const parts = message.content ?? [];
  for (const part of parts) if (part.type !== 'text' && part.type !== 'thinking') left.add('tool_steps');
  const written = parts.flatMap((part) => (part.type === 'text' && part.text ? [part.text] : []));
  const thought = parts.flatMap((part) => (part.type === 'thinking' && part.thinking ? [part.thinking] : []));
  const text = written.length > 0 ? written : [message.text ?? ''];
  return {
    text: [...text, ...attached].filter(Boolean).join('\n\n'),
    reasoning: thought.join('\n\n'),
  };
}

function toMs(text: string | null | undefined): number | null {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? null : time;
}
