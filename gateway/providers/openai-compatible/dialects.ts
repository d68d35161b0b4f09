import type { KnownProvider } from '#shared/known-providers.ts';
import type { TemplateRules } from './template-rules.ts';

/**
 * How servers with OpenAI's API differ, as data from their documentation and issue trackers. None of it was tried
 * against the live services. Anything that a server isn't known to refuse is sent.
 */
export interface Dialect extends TemplateRules {
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Sends `stream_options: {include_usage}`. Other servers report usage automatically and may refuse the field. */
  readonly asksForUsage: boolean;
  readonly knowsDeveloperRole: boolean;
  /** Sends `extra_content` of tool calls, which strict servers refuse. */
  readonly keepsExtraContent: boolean;
  /** Sends marks for a prompt cache (`cache_control`), which strict servers refuse. */
  readonly keepsCacheMarks: boolean;
  /**
   * What the model gets back of its earlier thinking: nothing, the text as it was sent, or OpenRouter's opaque details.
   */
  readonly givesBack: 'nothing' | 'reasoning_content' | 'reasoning_details';
  /** How the model is forced to call one function: by its name, or by offering only this function with this word. */
  readonly forcesTool: 'by_name' | 'required' | 'any';
  /** The server's word for "call any tool". */
  readonly requiredWord: 'required' | 'any';
  /** Values of `response_format` that the server supports. The others are requested in words. */
  readonly formats: readonly ('json_object' | 'json_schema')[];
  readonly seedField: 'seed' | 'random_seed';
  /**
   * How the amount of thinking is requested: by OpenAI's field, by DeepSeek's switch, or not at all. The switch is
   * turned off if the thinking before a tool call was lost, because DeepSeek refuses such a conversation while it
   * thinks.
   */
  readonly effort: 'reasoning_effort' | 'thinking_switch' | 'none';
  /**
   * Parameters that the server refuses. They are dropped, and the caller is warned where the wire contract requires it.
   */
  readonly refuses: readonly string[];
  /** Fields of a message that the server refuses. */
  readonly refusesInMessages: readonly string[];
  /** Mistral refuses every call id that isn't nine letters and digits. */
  readonly nineCharacterIds: boolean;
  /** Fields that are sent with every request. */
  readonly always: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Where the key goes: as a bearer token into `authorization`, or bare into `api-key`. */
  readonly keyHeader: 'authorization' | 'api-key';
  /**
   * The server can fetch images by their URL. Whether it may do so is the operator's decision (`provider-guards.ts`).
   */
  readonly fetchesImages: boolean;
  /** The server's models may think within their text, between `<think>` and `</think>`. */
  readonly thinksInText: boolean;
  /** Supports the picture detail "original". Other servers are asked for "high". */
  readonly knowsOriginalDetail: boolean;
  /** Kinds of input that the server accepts. If its list names them for each model, the list takes precedence. */
  readonly takes: readonly ('text' | 'image' | 'file' | 'audio')[];
  /** `GET /generation` reports what an answer cost, by the id in the answer's chunks. */
  readonly reportsGenerations: boolean;
  /** Path of a free call that needs a valid key, for a server that lists its models without one. */
  readonly keyCheckPath: string | null;
  /** Supports `encoding_format: base64` for embeddings. Other servers are asked for numbers. */
  readonly encodesVectors: boolean;
  /** Matches the listed models that can't chat, for a server whose list doesn't show it. */
  readonly notForChat: RegExp | null;
}

const common: Dialect = {
  instructions: 'anywhere',
  alternates: false,
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
  thinksInText: true,
  knowsOriginalDetail: false,
  takes: ['text', 'image'],
  reportsGenerations: false,
  keyCheckPath: null,
  encodesVectors: false,
  notForChat: null,
};

export const openAiDialect: Dialect = {
  ...common,
  maxTokensField: 'max_completion_tokens',
  encodesVectors: true,
  knowsDeveloperRole: true,
  thinksInText: false,
  knowsOriginalDetail: true,
  takes: ['text', 'image', 'file', 'audio'],
};

/** An unknown server gets everything back, because it may be another gateway. */
const unknownServer: Dialect = {
  ...common,
  instructions: 'joined',
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
  together: { effort: 'none', instructions: 'joined' },
  fireworks: { effort: 'none', instructions: 'joined', givesBack: 'reasoning_content' },
  openrouter: {
    keepsCacheMarks: true,
    givesBack: 'reasoning_details',
    always: { usage: { include: true } },
    headers: { 'x-title': 'Portico' },
    reportsGenerations: true,
    keyCheckPath: '/key',
  },
  ollama: { instructions: 'joined', forcesTool: 'required', fetchesImages: false },
  lmstudio: { instructions: 'joined', forcesTool: 'required', formats: ['json_schema'], fetchesImages: false },
  llamacpp: { instructions: 'joined', forcesTool: 'required', fetchesImages: false, givesBack: 'reasoning_content' },
  vllm: { instructions: 'joined', givesBack: 'reasoning_content' },
};

export const getDialect = (provider: Pick<KnownProvider, 'id'>): Dialect => ({ ...common, ...dialects[provider.id] });
