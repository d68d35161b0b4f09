/** The names that the interface gives to the fields of messages, their parts and tools, and those of JSON Schema. */
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

/** Whether the bytes between two places spell one of them. */
export const isWord = (bytes: Buffer, start: number, end: number): boolean =>
  end - start <= longest && known.has(bytes.toString('latin1', start, end));
