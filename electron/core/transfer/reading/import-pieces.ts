import type {
  ExportedConversation,
  ExportedFile,
  ExportedMessage,
} from '#shared/contract/chat/exported-conversation.ts';
import type { Refusal } from '#shared/errors.ts';
import type { Imported } from './imported.ts';
import type { ReadItem, Source } from './read-import.ts';

/**
 * What the import thread sends: conversations in pieces, because the receiving thread deserialises each message in one
 * go.
 */
export type ImportPiece =
  | { readonly kind: 'file'; readonly file: ExportedFile }
  | { readonly kind: 'empty'; readonly source: Source }
  | { readonly kind: 'messages'; readonly messages: readonly ExportedMessage[] }
  /** The conversation without its messages, which were sent before. */
  | {
      readonly kind: 'chat';
      readonly source: Source;
      readonly imported: Omit<Imported, 'conversation'>;
      readonly conversation: Omit<ExportedConversation, 'messages'>;
    };

export type ImportNews =
  | { readonly pieces: readonly ImportPiece[]; readonly isLast: boolean }
  | { readonly refused: { readonly message: string; readonly refusal: Refusal | null; readonly cause: unknown } };

/** The weight of a batch, in messages. Every ten thousand characters count as another message. */
const maxWeight = 200;
const getWeight = ({ text, reasoning }: ExportedMessage) => 1 + (text.length + reasoning.length) / 10_000;

/** Groups pieces into batches that the receiving thread can take over in a few milliseconds. */
export async function* importPieces(items: AsyncIterable<ReadItem>): AsyncGenerator<ImportPiece[], void> {
  let pieces: ImportPiece[] = [];
  let weight = 0;
  for await (const item of items) {
    for (const piece of getPieces(item)) {
      pieces.push(piece);
      weight += piece.kind === 'messages' ? piece.messages.reduce((sum, message) => sum + getWeight(message), 0) : 1;
      if (piece.kind !== 'file' && weight < maxWeight) continue;
      yield pieces;
      [pieces, weight] = [[], 0];
    }
  }
  yield pieces;
}

function* getPieces(item: ReadItem): Generator<ImportPiece, void> {
  if (item.kind === 'file') {
    yield item;
    return;
  }
  const { source, imported } = item;
  if (imported === null) {
    yield { kind: 'empty', source };
    return;
  }
  const {
    conversation: { messages, ...conversation },
    ...rest
  } = imported;
  let some: ExportedMessage[] = [];
  let weight = 0;
  for (const message of messages) {
    some.push(message);
    weight += getWeight(message);
    if (weight < maxWeight) continue;
    yield { kind: 'messages', messages: some };
    [some, weight] = [[], 0];
  }
  yield { kind: 'messages', messages: some };
  yield { kind: 'chat', source, imported: rest, conversation };
}

/** Joins pieces to items again. */
export function joinedPieces(): (piece: ImportPiece) => ReadItem | null {
  let messages: ExportedMessage[] = [];
  return (piece) => {
    if (piece.kind === 'file') return piece;
    if (piece.kind === 'empty') return { kind: 'chat', source: piece.source, imported: null };
    if (piece.kind === 'messages') {
      for (const message of piece.messages) messages.push(message);
      return null;
    }
    const conversation = { ...piece.conversation, messages };
    messages = [];
    return { kind: 'chat', source: piece.source, imported: { ...piece.imported, conversation } };
  };
}
