import { ulid } from 'ulid';
import { asCount, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { isExactNumber } from '../../runtime/json/exact-numbers.ts';
import type { ProviderEvent } from '../provider.ts';

/**
 * Assembles the tool calls of a completion from its chunks. Servers identify the pieces of parallel calls in different
 * ways: OpenAI by `index`, Ollama with `index: 0` for all of them (https://github.com/ollama/ollama/issues/15457), its
 * older builds with neither index nor id (https://github.com/ollama/ollama/issues/7881), vLLM with a new id for each
 * piece. All read 2026-11-27.
 */
export interface StreamedCalls {
  /**
   * Adds `entries`, the `tool_calls` of one chunk or of a non-streaming message. `state` returns the provider's state
   * for the next call that begins.
   */
  add(entries: readonly unknown[], isWhole: boolean, state: (own: unknown) => JsonObject | null): ProviderEvent[];
  /** Completes calls that had no name or no arguments. `isCut`: the last call may have lost its end. */
  end(isCut: boolean): ProviderEvent[];
  readonly count: number;
}

interface Call {
  readonly index: number;
  /** The server's id of the call; null if it sent none. */
  id: string | null;
  readonly serverIndex: number | null;
  /** Number of the chunk in which the call began. */
  readonly chunk: number;
  name: string;
  arguments: string;
  readonly extraContent: JsonObject | null;
  isStarted: boolean;
}

/** One entry of a chunk's `tool_calls`. */
interface Piece {
  readonly id: string | null;
  readonly serverIndex: number | null;
  readonly name: string;
  readonly arguments: string;
}

export function createStreamedCalls(): StreamedCalls {
  const calls: Call[] = [];
  let chunk = 0;

  function start(call: Call): ProviderEvent[] {
    if (call.isStarted) return [];
    call.isStarted = true;
    // A call needs its own id, because the client's result is matched to it by id.
    const isTaken = calls.some((other) => other !== call && other.isStarted && other.id === call.id);
    const { index, name, extraContent } = call;
    const id = call.id === null || isTaken ? `call_${ulid()}` : call.id;
    const begun: ProviderEvent = {
      type: 'tool-call-start',
      index,
      id,
      name,
      ...(extraContent ? { extraContent } : {}),
    };
    return call.arguments === '' ? [begun] : [begun, { type: 'tool-call-delta', index, arguments: call.arguments }];
  }

  function addPiece(call: Call, piece: Piece): ProviderEvent[] {
    call.id ??= piece.id;
    if (call.name === '') call.name = piece.name;
    call.arguments += piece.arguments;
    // The name may come after the id. Until then the call can't be reported.
    if (!call.isStarted) return call.name === '' ? [] : start(call);
    return piece.arguments === '' ? [] : [{ type: 'tool-call-delta', index: call.index, arguments: piece.arguments }];
  }

  return {
    get count() {
      return calls.length;
    },
    add(entries, isWhole, state) {
      chunk += 1;
      const events: ProviderEvent[] = [];
      for (const [position, entry] of entries.entries()) {
        const value = asObject(entry);
        const piece = toPiece(value);
        let call = isWhole ? null : findCall(calls, piece, { chunk, position, entries: entries.length });
        if (!call) {
          const { id, serverIndex } = piece;
          const extraContent = state(value.extra_content);
          const fresh = { name: '', arguments: '', isStarted: false };
          call = { index: calls.length, id, serverIndex, chunk, extraContent, ...fresh };
          calls.push(call);
        }
        events.push(...addPiece(call, piece));
      }
      return events;
    },
    end(isCut) {
      const events: ProviderEvent[] = [];
      for (const call of calls) {
        events.push(...start(call));
        const isEmpty = call.arguments.trim() === '' && !(isCut && call.index === calls.length - 1);
        if (!isEmpty) continue;
        // Clients parse arguments as JSON, and an empty text isn't JSON.
        call.arguments = '{}';
        events.push({ type: 'tool-call-delta', index: call.index, arguments: '{}' });
      }
      return events;
    },
  };
}

function toPiece(value: JsonObject): Piece {
  const { name, arguments: given } = asObject(value.function);
  const id = typeof value.id === 'number' || isExactNumber(value.id) ? JSON.stringify(value.id) : asText(value.id);
  return {
    id: id || null,
    serverIndex: asCount(value.index),
    name: asText(name) ?? '',
    // llama.cpp's server and TGI send an object (https://github.com/ggml-org/llama.cpp/issues/20198, read 2026-11-27).
    arguments: typeof given === 'object' && given !== null ? JSON.stringify(given) : (asText(given) ?? ''),
  };
}

interface Place {
  readonly chunk: number;
  readonly position: number;
  readonly entries: number;
}

/** Returns the call that a piece continues; null if the piece begins a new call. */
function findCall(calls: readonly Call[], piece: Piece, place: Place): Call | null {
  const { id, serverIndex } = piece;
  const sameIndex = (call: Call) =>
    serverIndex === null || call.serverIndex === null || call.serverIndex === serverIndex;
  if (id !== null) {
    const known = calls.findLast((call) => call.id === id && sameIndex(call));
    if (known) return beginsAnother(known, piece, place) ? null : known;
    const last = calls.findLast((call) => serverIndex !== null && call.serverIndex === serverIndex);
    // Some servers give each piece a new id. A piece with arguments but without a name can't begin a call.
    const isPiece = piece.name === '' && piece.arguments !== '';
    const isLateId = last?.id === null && (piece.name === '' || piece.name === last.name) && last.arguments === '';
    return last && !isWholeJson(last.arguments) && (isPiece || isLateId) ? last : null;
  }
  const last =
    serverIndex === null
      ? calls.at(piece.name === '' ? place.position - place.entries : -1)
      : calls.findLast((call) => call.serverIndex === serverIndex);
  return last && !beginsAnother(last, piece, place) ? last : null;
}

/**
 * True if a piece that could continue this call begins another one: the piece has a name, although the call already has
 * everything it needs.
 */
function beginsAnother(call: Call, piece: Piece, { chunk }: Place): boolean {
  if (piece.name === '' || call.name === '') return false;
  const isWhole = isWholeJson(call.arguments);
  if (call.arguments !== '' && !isWhole) return false;
  if (call.chunk === chunk) return true;
  if (piece.id !== null) return isWhole && piece.arguments !== '';
  return piece.name !== call.name || (isWhole && piece.arguments !== '');
}

/** Arguments are objects, so most fragments needn't be parsed to see that they're incomplete. */
function isWholeJson(text: string): boolean {
  if (!text.slice(-16).trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
