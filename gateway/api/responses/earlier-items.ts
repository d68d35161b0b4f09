import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { Principal } from '../../access/auth/principal.ts';
import type { ChatRequest } from '../../engine/answer.ts';
import type { ReasoningState } from '../../engine/reasoning/reasoning-state.ts';
import type { EarlierItems } from '../chat/read-chat-request.ts';

/**
 * Items of earlier responses, for clients that refer to items instead of sending them again (docs/decisions/054). They
 * are stored like signed reasoning and have its limits. Each response is one entry, under the name that its id and the
 * ids of its items have in common.
 */
export interface EarlierResponses {
  /** Stores the items if the request asks for it (`store`), but never with a caller's own key (wire contract §3.4). */
  keep(
    request: ChatRequest,
    response: { readonly id: string; readonly output: readonly unknown[] },
  ): Promise<void> | undefined;
  /** Returns the stored items that this body refers to, by their ids; null if it has no references. */
  recall(principal: Principal, body: readonly Uint8Array[]): Promise<EarlierItems> | null;
}

interface EarlierResponsesDeps {
  readonly reasoning: Pick<ReasoningState, 'keep' | 'recall'>;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Entries of responses apply to all models, so this takes the place of a model's name. */
const getOwner = ({ accountId }: Principal) => ({ accountId, model: 'responses' });
const prefix = 'resp_';

export const createEarlierResponses = ({ reasoning, log }: EarlierResponsesDeps): EarlierResponses => ({
  keep({ requestId, principal, echo, byoKey }, { id, output }) {
    // Every client sends its calls back in full, and their signatures are stored by the ids of the calls.
    const isReferredTo = output.some((item) => !isCall(asText(asObject(item).type) ?? ''));
    if (echo?.short.keeps !== true || byoKey || !isReferredTo) return undefined;
    const entry = { id: id.slice(prefix.length), state: { items: output } };
    return reasoning.keep(getOwner(principal), [entry]).catch((error: unknown) => {
      log({ event: 'response_not_kept', request_id: requestId, cause: String(error) });
    });
  },
  recall(principal, body) {
    const ids = referencesIn(body);
    return ids === null ? null : recalled(reasoning, principal, ids);
  },
});

/** True if an item is a call that the caller runs. */
const isCall = (type: string) => type.endsWith('_call') && type !== 'image_generation_call';

/** Maximum size of all items that one request refers to, in characters of JSON. References after that aren't found. */
const maxRecall = 2_097_152;
const maxResponses = 2_000;
const readAtOnce = 16;

async function recalled(
  reasoning: Pick<ReasoningState, 'recall'>,
  principal: Principal,
  ids: ReadonlySet<string>,
): Promise<EarlierItems> {
  const found = new Map<string, JsonObject>();
  const names = [...new Set([...ids].map((id) => id.split('_')[1] ?? ''))].slice(0, maxResponses);
  let length = 0;
  for (let index = 0; index < names.length && length < maxRecall; index += readAtOnce) {
    const entries = await reasoning.recall(getOwner(principal), names.slice(index, index + readAtOnce));
    for (const item of [...entries.values()].flatMap(({ items }) => asArray(items)).map(asObject)) {
      const id = asText(item.id) ?? '';
      if (!ids.has(id)) continue;
      found.set(id, item);
      length += JSON.stringify(item).length;
    }
  }
  return { found, length };
}

const word = '"item_reference"';
/** References are small objects, so the id is close to the type. */
const reach = 120;
const ownId = /"((?:msg|rs|fc|ctc|tsc|lsh|sh|apc)_[0-9A-HJKMNP-TV-Z]{26}_\d{1,5})"/g;

/** Returns the gateway's own ids near the word; null if the word doesn't occur. */
function referencesIn(blocks: readonly Uint8Array[]): Set<string> | null {
  const ids = new Set<string>();
  let isFound = false;
  for (const bytes of withSeams(blocks)) {
    for (let index = bytes.indexOf(word); index !== -1; index = bytes.indexOf(word, index + 1)) {
      isFound = true;
      const text = bytes.toString('latin1', Math.max(0, index - reach), index + word.length + reach);
      for (const [, id = ''] of text.matchAll(ownId)) ids.add(id);
    }
  }
  return isFound ? ids : null;
}

/** Returns the blocks, and the bytes around each border between two of them. */
function withSeams(blocks: readonly Uint8Array[]): Buffer[] {
  const buffers = blocks.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  return buffers.flatMap((bytes, index) => {
    const before = buffers[index - 1];
    const edge = 2 * reach;
    return before ? [Buffer.concat([before.subarray(-edge), bytes.subarray(0, edge)]), bytes] : [bytes];
  });
}

/**
 * Replaces each reference in the body by its item. An item is used once, and a reference to reasoning that isn't stored
 * any more becomes empty reasoning.
 */
export function withEarlierItems(body: Record<string, unknown>, earlier: EarlierItems | undefined) {
  const forgotten: number[] = [];
  if (!earlier || !Array.isArray(body.input)) return { body, forgotten };
  const left = new Map(earlier.found);
  const input = body.input.map((item: unknown, index) => {
    const { type, id } = asObject(item);
    if (type !== 'item_reference' || typeof id !== 'string') return item;
    const found = left.get(id);
    left.delete(id);
    if (found || !id.startsWith('rs_')) return found ?? item;
    forgotten.push(index);
    return { type: 'reasoning', summary: [] };
  });
  return { body: { ...body, input }, forgotten };
}
