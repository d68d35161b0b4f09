import type {
  ExportedConversation,
  ExportedFile,
  ExportedMessage,
} from '#shared/contract/chat/exported-conversation.ts';
import type { Refusal } from '#shared/errors.ts';
import type { Imported } from './imported.ts';
import type { ReadItem, Source } from './read-import.ts';

/** What the thread of an import hands over: a conversation in pieces, since a thread takes over each message in one go. */
export type ImportPiece =
  | { readonly kind: 'file'; readonly file: ExportedFile }
  | { readonly kind: 'empty'; readonly source: Source }
  | { readonly kind: 'messages'; readonly messages: readonly ExportedMessage[] }
  /** The messages came before. */
  | {
      readonly kind: 'chat';
      readonly source: Source;
      readonly imported: Omit<Imported, 'conversation'>;
      readonly conversation: Omit<ExportedConversation, 'messages'>;
    };

export type ImportNews =
  | { readonly pieces: readonly ImportPiece[]; readonly isLast: boolean }
  | { readonly refused: { readonly message: string; readonly refusal: Refusal | null; readonly cause: unknown } };

/** In messages, of which one of ten thousand characters more counts as another one. */
const maxWeight = 200;
const getWeight = ({ text, reasoning }: ExportedMessage) => 1 + (text.length + reasoning.length) / 10_000;

/** Lists of pieces that are each taken over in a few milliseconds. */
export async function* importPieces(items: AsyncIterable<ReadItem>): AsyncGenerator<ImportPiece[], void> {
  let pieces: ImportPiece[] = [];
  let weight = 0;
  for await (const item of items) {
    for (const piece of getPieces(item)) {
      pieces.push(piece);
      weight += piece.kind === 'messages' ? piece.messages.reduce((sum, each) => sum + getWeight(each), 0) : 1;
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

/** The items again. */
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
