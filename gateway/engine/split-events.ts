import type { ProviderEvent } from '../providers/provider.ts';

/** So much text goes out as one event; a provider may send a thousand times as much at once. */
export const pieceChars = 16_384;

/**
 * The same as several short events where one is long, else null. A client that does not read then keeps a piece waiting, not
 * copies of it all in each spelling that it goes through.
 */
export function splitEvents(event: ProviderEvent): readonly ProviderEvent[] | null {
  switch (event.type) {
    case 'text-delta':
      return event.text.length > pieceChars && !event.logprobs
        ? piecesOf(event.text).map((text) => ({ type: event.type, text }))
        : null;
    case 'reasoning-delta':
      return event.text.length > pieceChars && (event.details ?? []).length <= 1 ? reasoningPieces(event) : null;
    case 'refusal-delta':
      return event.text.length > pieceChars ? piecesOf(event.text).map((text) => ({ type: event.type, text })) : null;
    case 'tool-call-delta':
      return event.arguments.length > pieceChars
        ? piecesOf(event.arguments).map((text) => ({ ...event, arguments: text }))
        : null;
    default:
      return null;
  }
}

/** Each with its piece of the text; what else is told of the block goes with all of them but for the signature, which goes with the last. */
function reasoningPieces({ text, details }: Extract<ProviderEvent, { type: 'reasoning-delta' }>): ProviderEvent[] {
  const pieces = piecesOf(text);
  const [detail] = details ?? [];
  if (!detail) return pieces.map((piece) => ({ type: 'reasoning-delta', text: piece }));
  const { signature, ...unsigned } = detail;
  return pieces.map((piece, at) => {
    const own = at === pieces.length - 1 && signature !== undefined ? { ...unsigned, signature } : unsigned;
    return { type: 'reasoning-delta', text: piece, details: [{ ...own, text: piece }] };
  });
}

/** A pair of surrogates stays together: half of it is no text. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const wanted = at + pieceChars;
    const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(wanted - 1));
    const end = isSplit ? wanted - 1 : wanted;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
