import type { ExportedConversation, ExportedMessage } from '#shared/contract/chat/exported-conversation.ts';
import type { ImportPreview } from '#shared/contract/chat/transfer.ts';
import type { LeftTally } from './left-tally.ts';

/** A conversation of another program in Portico's format, and what was left out of it. */
export interface Imported {
  /** The origin of the chat, such as `chatgpt:<id>`. */
  readonly sourceId: string;
  readonly conversation: ExportedConversation;
  readonly leftOut: ImportPreview['leftOut'];
}

export interface ForeignMessage {
  readonly id: string;
  readonly parentId: string | null;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly reasoning: string;
  readonly createdAt: number;
  readonly model: string | null;
  readonly modelName: string | null;
}

/** Nobody here knows what another program's answers cost, so their cost is unknown, never $0. */
export const foreignMessage = (message: ForeignMessage): ExportedMessage => ({
  ...message,
  attachments: [],
  bill: null,
  status: 'done',
  servedProvider: null,
  servedModel: null,
  simulated: false,
  finishReason: null,
  usage: null,
  costUsd: null,
  costSource: 'unknown',
  routeReason: null,
  requestId: null,
  error: null,
  toolCalls: [],
  continues: false,
  comparison: null,
  comparing: null,
  firstTokenAt: null,
  thoughtMs: null,
  finishedAt: message.createdAt,
  source: null,
});

interface Foreign {
  readonly sourceId: string;
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly activeLeaf: string | null;
  readonly messages: readonly ExportedMessage[];
  readonly leftOut: ImportPreview['leftOut'];
}

export const foreignConversation = ({ sourceId, leftOut, messages, title, ...rest }: Foreign): Imported => ({
  sourceId,
  leftOut,
  conversation: {
    ...rest,
    title: title.trim().slice(0, 200),
    model: 'router',
    messages: [...messages],
    folder: null,
    tags: [],
    pinned: false,
    archivedAt: null,
  },
});

/** Far more than models can read, in UTF-16 units. */
const maxText = 2_000_000;

export function cutText(text: string, left: LeftTally): string {
  if (text.length > maxText) left.add('long_texts');
  return text.slice(0, maxText);
}
