import { z } from 'zod';
import { cutText, type ForeignMessage, foreignConversation, foreignMessage, type Imported } from './imported.ts';
import { type LeftTally, leftTally } from './left-tally.ts';

const seconds = z.number().nullish();
const node = z.looseObject({
  id: z.string().max(200),
  parent: z.string().nullish(),
  message: z
    .looseObject({
      author: z.looseObject({ role: z.string() }),
      create_time: seconds,
      content: z.looseObject({
        content_type: z.string(),
        parts: z.array(z.unknown()).nullish(),
        text: z.string().nullish(),
        language: z.string().nullish(),
      }),
      metadata: z
        .looseObject({
          model_slug: z.string().max(200).nullish(),
          is_visually_hidden_from_conversation: z.boolean().nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

/** One conversation in ChatGPT's `conversations.json`. */
export const chatgptConversation = z.looseObject({
  id: z.string().max(200).nullish(),
  conversation_id: z.string().max(200).nullish(),
  title: z.string().nullish(),
  create_time: seconds,
  update_time: seconds,
  current_node: z.string().nullish(),
  mapping: z.record(z.string(), node),
});

type Node = z.infer<typeof node>;
type Content = NonNullable<Node['message']>['content'];

/**
 * Reads the tree without nodes that aren't messages of a user or model. Each kept message is attached to the nearest
 * kept one above it.
 */
export function readChatgpt(chat: z.infer<typeof chatgptConversation>, newId: () => string): Imported | null {
  const sourceId = chat.conversation_id ?? chat.id;
  if (!sourceId) return null;
  const left = leftTally();
  const created = toMs(chat.create_time) ?? 0;
  const kept = new Map<string, ForeignMessage>();
  const nodes = new Map(Object.entries(chat.mapping));
  /** Maps each node to the nearest kept message, which is the node itself or one above it. */
  const anchors = new Map<string, string>();
  for (const [key, above] of fromRoots(nodes)) {
    const message = nodes.get(key)?.message;
    const read = message ? words(message, left) : null;
    const parent = anchors.get(above);
    anchors.set(key, read === null ? (parent ?? '') : key);
    if (!message || read === null) continue;
    const slug = message.metadata?.model_slug ?? null;
    const answer = message.author.role === 'assistant';
    kept.set(key, {
      id: newId(),
      parentId: kept.get(parent ?? '')?.id ?? null,
      role: answer ? 'assistant' : 'user',
      text: cutText(read, left),
      reasoning: '',
      createdAt: toMs(message.create_time) ?? created,
      model: answer && slug ? `openai/${slug}` : null,
      modelName: answer ? slug : null,
    });
  }
  const messages = [...kept.values()];
  if (messages.length === 0) return null;
  const shown = kept.get(anchors.get(chat.current_node ?? '') ?? '');
  return foreignConversation({
    sourceId: `chatgpt:${sourceId}`,
    id: newId(),
    title: chat.title ?? '',
    leftOut: left.list(),
    createdAt: created,
    updatedAt: toMs(chat.update_time) ?? created,
    activeLeaf: (shown ?? messages.at(-1))?.id ?? null,
    messages: messages.map(foreignMessage),
  });
}

/** Yields every node with its parent, parents before children. A node in a circle has no root and is left out. */
function* fromRoots(nodes: ReadonlyMap<string, Node>): Generator<readonly [key: string, above: string], void> {
  const children = Map.groupBy(nodes.keys(), (key) => {
    const parent = nodes.get(key)?.parent;
    return parent && nodes.has(parent) ? parent : '';
  });
  const stack: (readonly [string, string])[] = (children.get('') ?? []).map((key) => [key, ''] as const).reverse();
  for (let next = stack.pop(); next; next = stack.pop()) {
    yield next;
    const [above] = next;
    for (const key of (children.get(above) ?? []).reverse()) stack.push([key, above]);
  }
}

function words({ author, content, metadata }: NonNullable<Node['message']>, left: LeftTally): string | null {
  if (metadata?.is_visually_hidden_from_conversation || author.role === 'system') return null;
  if (author.role !== 'user' && author.role !== 'assistant') {
    left.add('tool_steps');
    return null;
  }
  const text = getText(content, left);
  return text.trim() === '' ? null : text;
}

function getText({ content_type: type, parts, text, language }: Content, left: LeftTally): string {
  if (type === 'code') return `\`\`\`${language && language !== 'unknown' ? language : ''}\n${text ?? ''}\n\`\`\``;
  if (type !== 'text' && type !== 'multimodal_text') {
    left.add(type === 'thoughts' || type === 'reasoning_recap' ? 'thoughts' : 'other');
    return '';
  }
  const strings = (parts ?? []).filter((part) => typeof part === 'string');
  left.add('files', (parts ?? []).length - strings.length);
  return strings.join('\n\n');
}

const toMs = (time: number | null | undefined): number | null =>
  typeof time === 'number' && Math.abs(time) < 1e11 ? Math.round(time * 1000) : null;
