import type { ReportedChunk } from '#shared/client/reported.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';

type Call = Message['toolCalls'][number];
type CallDelta = NonNullable<ReportedChunk['choices'][number]['delta']['tool_calls']>[number];

/** More than a model calls at once; what a gateway sends beyond it is left out. */
export const maxCalls = 128;

/**
 * Puts an answer's tool calls together from their fragments (wire contract §1.3): the first of a call has its id and name, later ones more of
 * its arguments. Their index only tells them apart: it comes from a stranger and may be any number, so it is no place in an array.
 */
export function createCallReader(): (deltas: readonly CallDelta[]) => Call[] {
  const calls: Call[] = [];
  /** Index → place among the calls. A new id under a known index begins another call, as servers do that number none. */
  const places = new Map<number, number>();

  function getPlace({ index, id }: CallDelta): number | null {
    const known = places.get(index);
    const before = known === undefined ? undefined : calls[known];
    if (known !== undefined && before && (!id || before.id === '' || before.id === id)) return known;
    if (calls.length === maxCalls) return null;
    const place = calls.push({ id: '', name: '', arguments: '' }) - 1;
    places.set(index, place);
    return place;
  }

  return (deltas) => {
    for (const delta of deltas) {
      const place = getPlace(delta);
      const before = place === null ? undefined : calls[place];
      if (place === null || !before) continue;
      const extra = stateIn(delta) ?? before.extra;
      calls[place] = {
        id: delta.id ?? before.id,
        name: delta.function?.name ?? before.name,
        arguments: before.arguments + (delta.function?.arguments ?? ''),
        ...(extra ? { extra } : {}),
      };
    }
    return [...calls];
  };
}

/** Opaque state that the provider wants back with the call (wire contract §1.6). */
function stateIn({ extra_content: extra }: Readonly<Record<string, unknown>>): Record<string, unknown> | null {
  return typeof extra === 'object' && extra !== null && !Array.isArray(extra) ? { ...extra } : null;
}
