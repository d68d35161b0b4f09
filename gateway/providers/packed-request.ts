import { deserialize, serialize } from 'node:v8';
import type { ChatMessage } from '#shared/wire/chat-request.ts';
import type { InputBound } from './content/input-bound.ts';
import type { ProviderRequest } from './provider.ts';

/**
 * A large request's long parts, in memory that all threads share: handing them on copies nothing, and the event loop's
 * thread never builds, walks or writes them.
 */
export interface Packed {
  readonly bytes: SharedArrayBuffer;
  /** Whose request it is: threads serve accounts in turn. */
  readonly account: string;
  /** Pictures that are named by their address: where each is named first. */
  readonly remoteFiles: ReadonlyMap<string, string>;
  /** The estimate of what all of it is, in tokens. */
  readonly inputTokens: number;
  /** What it comes to at the most, whoever counts. */
  readonly inputBound: InputBound;
}

type Parameters = ProviderRequest['parameters'];

/** What may be long in a request. */
interface LongParts {
  readonly messages: readonly ChatMessage[];
  readonly parameters: Parameters;
  readonly openaiOnly: Readonly<Record<string, unknown>>;
}

/** Puts the long parts away. Costs as much as they are long. */
export function packed(parts: LongParts): SharedArrayBuffer {
  const { messages, parameters, openaiOnly } = parts;
  const bytes = serialize({ messages, parameters, openaiOnly } satisfies LongParts);
  const shared = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(shared).set(bytes);
  return shared;
}

/**
 * The request with its long parts again, as far as it still has them: a parameter that was left out stays out, and one that
 * was changed stays changed.
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

/** Parameters that say the same of a request but are short: who decides looks at their presence and kind only. */
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

/** What the threads are told of a task on a packed request. */
export const getShare = (packed: Packed | null | undefined) =>
  packed ? { account: packed.account, bytes: packed.bytes.byteLength } : {};
