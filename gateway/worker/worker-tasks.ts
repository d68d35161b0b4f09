import { type QuestionForm, type ReadOptions, readQuestion, type SaidQuestion } from '../chat/read-question.ts';
import { inputBound } from '../content/input-bound.ts';
import { answerLimits } from '../json/json-limits.ts';
import { parseWithin } from '../json/json-value.ts';
import { parseBody } from '../json/parse-json.ts';
import { type Packed, packed, standIns, unpacked } from '../providers/packed-request.ts';
import type { ProviderRequest } from '../providers/provider.ts';
import type { Script } from '../providers/sandbox/player.ts';
import { scriptFor } from '../providers/sandbox/scripts.ts';
import { type BodyWriter, writtenBody } from '../providers/written-body.ts';
import { addressesIn, type FetchedImages, withImages } from '../upstream/fetched-images.ts';

interface Blocks {
  readonly blocks: readonly Uint8Array[];
}

interface AskInput extends Blocks {
  readonly form: QuestionForm;
  readonly options: Omit<ReadOptions, 'messages'>;
}

interface BodyInput {
  readonly request: ProviderRequest;
  readonly writer: BodyWriter;
  readonly images: FetchedImages | null;
}

/** What a request costs time for in proportion to its length, by name: each runs on a thread of its own. */
export const tasks = {
  /** Reads a JSON object. */
  value: ({ blocks }: Blocks): Record<string, unknown> => parseBody(Buffer.concat(blocks)).value,

  /** Reads and checks a chat request; its long parts come packed. */
  question({ blocks, form, options }: AskInput): { asked: SaidQuestion; packed: Omit<Packed, 'account'> } {
    const { value, messages } = parseBody(Buffer.concat(blocks));
    const asked = readQuestion(form, value, { ...options, messages });
    return {
      asked: {
        ...asked,
        messages: [],
        messagesJson: null,
        parameters: standIns(asked.parameters),
        openaiOnly: Object.fromEntries(Object.keys(asked.openaiOnly).map((name) => [name, true])),
      },
      packed: {
        bytes: packed(asked),
        remoteImages: addressesIn(asked.messages),
        inputTokens: asked.gist.features.inputTokens,
        inputBound: inputBound(asked),
      },
    };
  },

  /** Writes what an upstream is sent. */
  body({ request, writer, images }: BodyInput): Uint8Array {
    const whole = opened(request);
    const messages = images ? whole.messages.map((message) => withImages(message, images)) : whole.messages;
    const body = writtenBody({ ...whole, messages }, writer);
    return body instanceof Uint8Array ? body : new TextEncoder().encode(JSON.stringify(body));
  },

  /** What the sandbox answers. */
  script: ({ request }: { readonly request: ProviderRequest }): Script => scriptFor(opened(request)),

  /** Reads what an upstream answered to a question that is no chat; null where that is no JSON, or too much of it. */
  answer: ({ blocks }: Blocks): unknown => parseWithin(Buffer.concat(blocks).toString('utf8'), answerLimits) ?? null,
};

export type Tasks = typeof tasks;

const opened = (request: ProviderRequest): ProviderRequest =>
  request.packed ? unpacked(request, request.packed.bytes) : request;
