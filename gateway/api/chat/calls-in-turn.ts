import { AppError } from '#shared/errors.ts';
import type { DeltaPart } from './stream-writer.ts';

/** Orders the parts of an answer so that each tool call is complete before anything else begins. */
export interface CallsInTurn {
  /** Throws `upstream_bad_response` when a call goes on after its end. */
  add(part: DeltaPart): readonly DeltaPart[];
  /** Returns the parts that still wait at the end. */
  rest(): readonly DeltaPart[];
}

const nothing: readonly DeltaPart[] = [];

/**
 * Puts the pieces of parallel calls one call after another, for APIs that have one open item at a time. Servers usually send them so; when
 * one mixes them, everything that comes before the open call's arguments are complete waits for the end.
 */
export function createCallsInTurn(): CallsInTurn {
  let open: { readonly index: number; arguments: string } | null = null;
  const begun = new Set<number>();
  let waiting: DeltaPart[] = [];

  function add(part: DeltaPart): readonly DeltaPart[] {
    if (part.type === 'tool-call-start') begun.add(part.index);
    else if (part.type === 'tool-call-delta') {
      if (part.index === open?.index) {
        open.arguments += part.arguments;
        return [part];
      }
      // Arguments of a call that never began are ignored: some servers send arguments without the call.
      if (!begun.has(part.index)) return nothing;
      if (waiting.length === 0) return goesOn(part.arguments);
    }
    if (waiting.length > 0 || (open && !isWhole(open.arguments))) {
      waiting.push(part);
      return nothing;
    }
    open = part.type === 'tool-call-start' ? { index: part.index, arguments: '' } : null;
    return [part];
  }

  return {
    add,
    rest() {
      const calls = Map.groupBy(waiting, (part) => ('index' in part ? part.index : -1));
      waiting = [];
      return [...calls.values()].flat();
    },
  };
}

/** Handles more arguments of a closed call: blanks mean nothing, anything else is an error. */
function goesOn(text: string): readonly DeltaPart[] {
  if (text.trim() === '') return nothing;
  throw new AppError('upstream_bad_response', 'The provider went on with a tool call that was complete.');
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
