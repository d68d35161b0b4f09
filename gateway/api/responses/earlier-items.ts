import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { Principal } from '../../access/auth/principal.ts';
import type { ReasoningState } from '../../engine/reasoning/reasoning-state.ts';
import type { EarlierItems } from '../chat/read-question.ts';
import type { ChatCall } from '../chat/read-request.ts';

/**
 * Items of earlier responses, for clients that refer to them instead of sending them again (docs/decisions/054). They are kept beside
 * signed reasoning, with its bounds: a response is one entry, named by what its id and those of its items have in common.
 */
export interface EarlierResponses {
  /** Of a request that wants it (`store`), never on a caller's own key (wire contract §3.4). */
  keep(
    call: ChatCall,
    response: { readonly id: string; readonly output: readonly unknown[] },
  ): Promise<void> | undefined;
  /** What this body refers to and is still kept, by its ids; null where it refers to nothing. */
  recall(principal: Principal, body: readonly Uint8Array[]): Promise<EarlierItems> | null;
}

interface EarlierResponsesDeps {
  readonly reasoning: Pick<ReasoningState, 'keep' | 'recall'>;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** In place of a model: entries of responses are for all of them. */
const getOwner = ({ accountId }: Principal) => ({ accountId, model: 'responses' });
const prefix = 'resp_';

export const createEarlierResponses = ({ reasoning, log }: EarlierResponsesDeps): EarlierResponses => ({
  keep({ echo, question }, { id, output }) {
    // Calls are sent back whole by every client, and what they were signed with is kept by their ids.
    const isReferredTo = output.some((item) => !isCall(asText(asObject(item).type) ?? ''));
    if (echo?.short.keeps !== true || question.byoKey || !isReferredTo) return undefined;
    const entry = { id: id.slice(prefix.length), state: { items: output } };
    return reasoning.keep(getOwner(question.principal), [entry]).catch((error: unknown) => {
      log({ event: 'response_not_kept', request_id: question.requestId, cause: String(error) });
    });
  },
  recall(principal, body) {
    const ids = referencesIn(body);
    return ids === null ? null : recalled(reasoning, principal, ids);
  },
});

/** Whether an item is a call that the caller runs. */
const isCall = (type: string) => type.endsWith('_call') && type !== 'image_generation_call';

/** Of all that one request refers to, in characters of JSON; what comes after is not found. */
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
  for (let at = 0; at < names.length && length < maxRecall; at += readAtOnce) {
    const entries = await reasoning.recall(getOwner(principal), names.slice(at, at + readAtOnce));
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
/** References are small objects: the id stands close to the type. */
const reach = 120;
const ownId = /"((?:msg|rs|fc|ctc|tsc|lsh|sh|apc)_[0-9A-HJKMNP-TV-Z]{26}_\d{1,5})"/g;

/** The ids of our own near the word; null where the word is nowhere. */
function referencesIn(blocks: readonly Uint8Array[]): Set<string> | null {
  const ids = new Set<string>();
  let isFound = false;
  for (const bytes of withSeams(blocks)) {
    for (let at = bytes.indexOf(word); at !== -1; at = bytes.indexOf(word, at + 1)) {
      isFound = true;
      const text = bytes.toString('latin1', Math.max(0, at - reach), at + word.length + reach);
      for (const [, id = ''] of text.matchAll(ownId)) ids.add(id);
    }
  }
  return isFound ? ids : null;
}

/** The blocks, and what lies across the end of one and the beginning of the next. */
function withSeams(blocks: readonly Uint8Array[]): Buffer[] {
  const buffers = blocks.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  return buffers.flatMap((bytes, index) => {
    const before = buffers[index - 1];
    const edge = 2 * reach;
    return before ? [Buffer.concat([before.subarray(-edge), bytes.subarray(0, edge)]), bytes] : [bytes];
  });
}

/** The body with what it refers to in the place of each reference: an item once, and reasoning that is not kept any more as nothing. */
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
