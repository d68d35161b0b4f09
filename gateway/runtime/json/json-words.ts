/**
 * A limit on the number of keys has to allow for the names that every message and tool repeats, and the platform has no notion of
 * such names. Without this list, 2,048 messages of 20 parts, which the contract allows, would be refused (decision 028). To
 * check: `json-outline.test.ts`, and `large-bodies.test.ts` in `../body/`.
 */

/** The names that the API uses for fields of messages, their parts and tools, and the names of JSON Schema. */
const words = [
  ...['role', 'content', 'name', 'type', 'text', 'refusal', 'cache_control', 'ttl', 'image_url', 'url', 'detail'],
  ...['file', 'filename', 'file_data', 'file_id', 'input_audio', 'data', 'format', 'tool_calls', 'tool_call_id', 'id'],
  ...['index', 'function', 'arguments', 'extra_content', 'reasoning_content', 'signature', 'thinking', 'google'],
  ...[
    'thought_signature',
    'anthropic',
    'openrouter',
    'openai',
    'reasoning_details',
    'summary',
    'description',
    'parameters',
    'strict',
  ],
  ...['properties', 'required', 'items', 'enum', 'const', 'default', 'title', 'examples', 'anyOf', 'oneOf', 'allOf'],
  ...['not', '$ref', '$defs', 'additionalProperties', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern'],
  ...['input', 'output', 'call_id', 'summary', 'encrypted_content', 'annotations', 'logprobs', 'status'],
  ...['instructions', 'system', 'input_schema', 'tool_use_id', 'is_error', 'source', 'media_type', 'citations'],
  ...['minItems', 'maxItems', 'nullable', 'model', 'messages', 'provider', 'stream', 'max_tokens', 'temperature'],
];

const known: ReadonlySet<string> = new Set(words);
const longest = Math.max(...words.map((word) => word.length));

/** Whether the bytes between two positions spell one of these names. */
export const isWord = (bytes: Buffer, start: number, end: number): boolean =>
  end - start <= longest && known.has(bytes.toString('latin1', start, end));
