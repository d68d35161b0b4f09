import type { KnownProvider } from '#shared/known-providers.ts';

/**
 * How servers of OpenAI's family differ, as data: what is known of each from its documentation and its issue tracker, none
 * of it tried against the live service. What is not known to be refused is sent.
 */
export interface Dialect {
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** `stream_options: {include_usage}` is asked for; the others report usage by themselves and may refuse the field. */
  readonly asksForUsage: boolean;
  readonly knowsDeveloperRole: boolean;
  /** Passes on `extra_content` of tool calls, which strict servers refuse. */
  readonly keepsExtraContent: boolean;
  /** Passes marks for a prompt cache on (`cache_control`), which strict servers refuse. */
  readonly keepsCacheMarks: boolean;
  /** What it gets back of its earlier thinking: nothing, the text as it was sent, or OpenRouter's opaque details. */
  readonly givesBack: 'nothing' | 'reasoning_content' | 'reasoning_details';
  /** How one function is forced: by its name, or by sending only it and this word. */
  readonly forcesTool: 'by_name' | 'required' | 'any';
  /** The word for "call some tool". */
  readonly requiredWord: 'required' | 'any';
  /** What `response_format` it knows; the rest is asked for in words. */
  readonly formats: readonly ('json_object' | 'json_schema')[];
  readonly seedField: 'seed' | 'random_seed';
  /**
   * How much thinking is asked for: OpenAI's field, DeepSeek's switch, or not at all. The switch is turned off where the
   * thinking before a tool call was lost, which DeepSeek refuses while it thinks.
   */
  readonly effort: 'reasoning_effort' | 'thinking_switch' | 'none';
  /** Parameters that it refuses; they are dropped, and the caller told where the contract says so. */
  readonly refuses: readonly string[];
  /** Fields of a message that it refuses. */
  readonly refusesInMessages: readonly string[];
  /** Mistral refuses every id of a call but nine letters and digits. */
  readonly nineCharacterIds: boolean;
  /** Sent with every request. */
  readonly always: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Where the key goes: as a bearer token, or bare in a header of this name. */
  readonly keyHeader: 'authorization' | 'api-key';
  /** It can fetch images by their address. Whether it may is its operator's word (`provider-guards.ts`). */
  readonly fetchesImages: boolean;
  /** Knows the detail "original" of pictures; the others are asked for "high". */
  readonly knowsOriginalDetail: boolean;
  /** Kinds of input that it takes. Where its list says it for each model, the list is right. */
  readonly takes: readonly ('text' | 'image' | 'file' | 'audio')[];
  /** `GET /generation` tells what an answer cost, by the id that its chunks have. */
  readonly tellsGenerations: boolean;
  /** A free call that needs a valid key, where listing the models needs none. */
  readonly keyCheckPath: string | null;
  /** Knows `encoding_format: base64` of embeddings; the others are asked for numbers. */
  readonly encodesVectors: boolean;
  /** Models of its list that cannot chat, where the list does not say so itself. */
  readonly notForChat: RegExp | null;
}

const common: Dialect = {
  maxTokensField: 'max_tokens',
  asksForUsage: true,
  knowsDeveloperRole: false,
  keepsExtraContent: false,
  keepsCacheMarks: false,
  givesBack: 'nothing',
  forcesTool: 'by_name',
  requiredWord: 'required',
  formats: ['json_object', 'json_schema'],
  seedField: 'seed',
  effort: 'reasoning_effort',
  refuses: [],
  refusesInMessages: [],
  nineCharacterIds: false,
  always: {},
  headers: {},
  keyHeader: 'authorization',
  fetchesImages: true,
  knowsOriginalDetail: false,
  takes: ['text', 'image'],
  tellsGenerations: false,
  keyCheckPath: null,
  encodesVectors: false,
  notForChat: null,
};

export const openAiDialect: Dialect = {
  ...common,
  maxTokensField: 'max_completion_tokens',
  encodesVectors: true,
  knowsDeveloperRole: true,
  knowsOriginalDetail: true,
  takes: ['text', 'image', 'file', 'audio'],
};

/** A server that nobody named: it is given everything back, because it may be another gateway. */
const unknownServer: Dialect = {
  ...common,
  keepsExtraContent: true,
  keepsCacheMarks: true,
  givesBack: 'reasoning_content',
};

const notChat = /whisper|tts|orpheus|embed|moderation|rerank|guard|ocr|transcribe|voice|image|imagine|video/i;

const dialects: Readonly<Record<string, Partial<Dialect>>> = {
  'openai-compatible': unknownServer,
  mistral: {
    asksForUsage: false,
    forcesTool: 'any',
    requiredWord: 'any',
    seedField: 'random_seed',
    effort: 'none',
    refuses: ['user'],
    refusesInMessages: ['name'],
    nineCharacterIds: true,
    notForChat: notChat,
  },
  deepseek: {
    givesBack: 'reasoning_content',
    formats: ['json_object'],
    effort: 'thinking_switch',
    refuses: ['seed', 'parallel_tool_calls', 'user'],
    takes: ['text'],
  },
  xai: { maxTokensField: 'max_completion_tokens', effort: 'none', notForChat: notChat },
  groq: {
    maxTokensField: 'max_completion_tokens',
    effort: 'none',
    refusesInMessages: ['name'],
    notForChat: notChat,
  },
  cerebras: {
    maxTokensField: 'max_completion_tokens',
    effort: 'none',
    refuses: ['frequency_penalty', 'presence_penalty'],
    takes: ['text'],
  },
  together: { effort: 'none' },
  fireworks: { effort: 'none', givesBack: 'reasoning_content' },
  openrouter: {
    keepsCacheMarks: true,
    givesBack: 'reasoning_details',
    always: { usage: { include: true } },
    headers: { 'x-title': 'Portico' },
    tellsGenerations: true,
    keyCheckPath: '/key',
  },
  ollama: { forcesTool: 'required', fetchesImages: false },
  lmstudio: { forcesTool: 'required', formats: ['json_schema'], fetchesImages: false },
  llamacpp: { forcesTool: 'required', fetchesImages: false, givesBack: 'reasoning_content' },
  vllm: { givesBack: 'reasoning_content' },
};

export const getDialect = (provider: Pick<KnownProvider, 'id'>): Dialect => ({ ...common, ...dialects[provider.id] });
