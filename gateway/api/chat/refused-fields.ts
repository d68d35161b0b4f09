import { AppError } from '#shared/errors.ts';
import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { shortened } from '../../http/shorten-name.ts';

/**
 * Fields that change which conversation a model is asked, or what its answer is. Without them a model would answer something else than
 * it was asked, so each is served or refused, never left out with a warning (docs/decisions/104-what-is-never-left-out.md). A field
 * that is left out only costs tokens or a feature of the answer: those stand beside each API's reader.
 */
export interface RefusedField {
  readonly name: string;
  /** What to send instead. */
  readonly why: string;
  /** Where the vendor describes the field. */
  readonly source: string;
  /** Whether this value asks for anything; null never does. */
  readonly isAsked?: (value: unknown) => boolean;
  /** Facts that the vendor's own clients look for in the error. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** `completion` is `POST /v1/chat/completions`, `prompt` is `POST /chat`. */
export type ChatApi = 'prompt' | 'completion' | 'responses' | 'messages';

const openai = 'https://developers.openai.com/api/reference/resources/responses/methods/create';
const completions =
  'https://developers.openai.com/api/reference/resources/chat/subresources/completions/methods/create';
const anthropic = 'https://platform.claude.com/docs/en/api/messages/create';
const gemini = 'https://ai.google.dev/gemini-api/docs/openai';

const isNotFalse = (value: unknown) => value !== false;
const isFalse = (value: unknown) => value === false;
const isFilled = (value: unknown) => !(Array.isArray(value) && value.length === 0);

const wholeConversation = 'This gateway keeps no conversations: send all of it with each request.';

/** State that a vendor keeps: the request holds only what is new. */
const keptElsewhere: readonly RefusedField[] = [
  { name: 'previous_response_id', why: wholeConversation, source: openai },
  { name: 'conversation', why: wholeConversation, source: openai },
  {
    name: 'thread',
    why: `Message threads are not kept here. ${wholeConversation}`,
    source: 'https://platform.claude.com/docs/en/build-with-claude/message-threads',
    // Anthropic's SDKs go on without a thread where a server says so (`ThreadState` of anthropic-sdk-typescript 1.14).
    details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  },
  {
    name: 'cached_content',
    why: 'Contents that Google keeps are not looked up here: send them with the request.',
    source: gemini,
  },
  {
    name: 'extra_body',
    why: 'Contents that Google keeps are not looked up here: send them with the request.',
    source: gemini,
    isAsked: (value) => asObject(asObject(value).google).cached_content != null,
  },
];

/** Words for the model under the name that another of the APIs has for them, beside this API's own. */
const elsewhere = (source: string, names: Readonly<Record<string, string>>): RefusedField[] =>
  Object.entries(names).map(([name, why]) => ({ name, why, source }));

const compacts = (value: unknown) =>
  [...asArray(asObject(value).edits), ...asArray(value)].some((edit) =>
    /^compact/.test(asText(asObject(edit).type) ?? ''),
  );

const compaction: RefusedField = {
  name: 'context_management',
  why: 'Conversations are not compacted here: shorten the conversation yourself, or leave compaction out.',
  source: 'https://platform.claude.com/docs/en/build-with-claude/compaction',
  // Clearing only saves tokens: without it the model sees what would have been cleared.
  isAsked: compacts,
};

export const refusedFields: Readonly<Record<ChatApi, readonly RefusedField[]>> = {
  prompt: [
    ...keptElsewhere,
    ...elsewhere(completions, {
      messages: 'This endpoint takes "prompt"; for "messages" use /v1/chat/completions.',
      instructions: 'This endpoint takes "system"; for "instructions" use /v1/responses.',
    }),
  ],
  completion: [
    ...keptElsewhere,
    ...elsewhere(completions, {
      prompt: 'This endpoint takes "messages"; for "prompt" use /chat.',
      instructions: 'Send instructions as a message with the role "system", or use /v1/responses.',
      system: 'Send it as a message with the role "system", or use /v1/messages.',
      functions: '"functions" is deprecated; use "tools" and "tool_choice".',
      function_call: '"function_call" is deprecated; use "tools" and "tool_choice".',
    }),
    {
      name: 'documents',
      why: 'Send the documents in "messages": a model is given nothing else.',
      source: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
      isAsked: isFilled,
    },
    {
      name: 'preset',
      why: 'Presets are not kept here: send what the preset says.',
      source: 'https://openrouter.ai/docs/guides/features/presets',
    },
  ],
  responses: [
    ...keptElsewhere.map((field) =>
      field.name === 'previous_response_id' || field.name === 'conversation'
        ? {
            ...field,
            why: 'This gateway keeps single items only: send the earlier ones themselves, or references to them, in "input".',
          }
        : field,
    ),
    ...elsewhere(openai, {
      system: 'Send it as "instructions".',
    }),
    {
      name: 'prompt',
      why: 'This gateway keeps no prompt templates: send "instructions" and "input".',
      source: openai,
      isAsked: isNotFalse,
    },
    {
      name: 'background',
      why: 'Answers are not given in the background: ask with "stream": true.',
      source: openai,
      isAsked: isNotFalse,
    },
    {
      name: 'generate',
      why: 'Requests cannot be prepared without an answer here: leave "generate" out.',
      source: openai,
      isAsked: isFalse,
    },
    { ...compaction, source: 'https://developers.openai.com/api/docs/guides/compaction' },
  ],
  messages: [
    ...keptElsewhere,
    ...elsewhere(anthropic, {
      prompt: 'This endpoint takes "messages"; for "prompt" use /chat.',
      instructions: 'Send it as "system".',
    }),
    {
      name: 'container',
      why: 'No code is run here and no skills are kept. Offer tools of your own and run them yourself.',
      source: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool',
    },
    {
      name: 'mcp_servers',
      why: 'MCP servers are not called from here. Offer their tools in "tools" and call them yourself.',
      source: 'https://platform.claude.com/docs/en/agents-and-tools/mcp-connector',
      isAsked: isFilled,
    },
    {
      name: 'compaction',
      why: 'Conversations are not compacted here: ask for a summary in words.',
      source: anthropic,
    },
    compaction,
    {
      name: 'fallback_credit_token',
      why: 'Refused answers cannot be gone on from here: ask again without it.',
      source: 'https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback',
    },
  ],
};

/** Throws `unsupported_parameter` for a field that can neither be served nor be left out. */
export function refuseFields(body: JsonObject, api: ChatApi): void {
  for (const { name, why, isAsked, details } of refusedFields[api]) {
    const value = body[name];
    if (value == null || isAsked?.(value) === false) continue;
    throw new AppError('unsupported_parameter', why, { param: shortened(name), ...(details ? { details } : {}) });
  }
}

/** The same for messages of a chat completion: a call in OpenAI's first form is no field of theirs any more. */
export function refuseFunctionCalls(messages: unknown): void {
  for (const [index, message] of asArray(messages).entries()) {
    if (asObject(message).function_call == null) continue;
    throw new AppError('unsupported_parameter', '"function_call" is deprecated; send the call in "tool_calls".', {
      param: `messages[${index}].function_call`,
    });
  }
}
