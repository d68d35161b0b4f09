import { deserialize, serialize } from 'node:v8';
import type { ChatMessage } from '#shared/wire/chat-request.ts';
import type { InputBound } from './content/input-bound.ts';
import type { ProviderRequest } from './provider.ts';

/**
 * The long parts of a large request, in memory that all threads share. Passing them on copies nothing, and the main
 * thread never builds, walks or writes them.
 */
export interface Packed {
  readonly bytes: SharedArrayBuffer;
  /** The account that sent the request. Worker threads serve accounts in turn. */
  readonly account: string;
  /** Files that are given by their URL, each with the first place that names it. */
  readonly remoteFiles: ReadonlyMap<string, string>;
  /** Estimated input tokens of the whole request. */
  readonly inputTokens: number;
  /** An upper limit for the input tokens, whichever tokenizer counts them. */
  readonly inputBound: InputBound;
}

type Parameters = ProviderRequest['parameters'];

/** The parts of a request that may be long. */
interface LongParts {
  readonly messages: readonly ChatMessage[];
  readonly parameters: Parameters;
  readonly openaiOnly: Readonly<Record<string, unknown>>;
}

/** Serialises the long parts into shared memory. The time it takes grows with their length. */
export function packed(parts: LongParts): SharedArrayBuffer {
  const { messages, parameters, openaiOnly } = parts;
  const bytes = serialize({ messages, parameters, openaiOnly } satisfies LongParts);
  const shared = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(shared).set(bytes);
  return shared;
}

/**
 * Restores the long parts of a request. A parameter that was left out meanwhile stays out, and one that was changed
 * stays changed.
 */
export function unpacked(request: ProviderRequest, bytes: SharedArrayBuffer): ProviderRequest {
  const { messages, parameters, openaiOnly } = deserialize(Buffer.from(bytes)) as LongParts;
  const long = Object.fromEntries(
    longNames.flatMap((name) => (name in request.parameters ? [[name, parameters[name]]] : [])),
  );
  return {
    ...request,
    messages,
    parameters: { ...request.parameters, ...long },
    openaiOnly: Object.fromEntries(Object.keys(request.openaiOnly).map((name) => [name, openaiOnly[name]])),
  };
}

const longNames = ['tools', 'response_format'] as const;

/**
 * Returns short parameters in place of long ones. The code that fits a request only checks which parameters it has and
 * of which kind.
 */
export function standIns({ tools, response_format: format, ...short }: Parameters): Parameters {
  return {
    ...short,
    ...(tools
      ? { tools: tools.slice(0, 1).map(({ type, function: { name } }) => ({ type, function: bare(name) })) }
      : {}),
    ...(format ? { response_format: format.type === 'json_schema' ? anySchema : format } : {}),
  };
}

const bare = (name: string) => ({ name, description: undefined, parameters: undefined, strict: undefined });

const anySchema: NonNullable<Parameters['response_format']> = {
  type: 'json_schema',
  json_schema: { name: '', schema: undefined, strict: undefined, description: undefined },
};

/** What the worker pool must know about a task for a packed request. */
export const getShare = (packed: Packed | null | undefined) =>
  packed ? { account: packed.account, bytes: packed.bytes.byteLength } : {};
