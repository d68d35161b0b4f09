import { AppError } from '#shared/errors.ts';
import { asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { ChatMessage, ContentPart, ToolCall } from '#shared/wire/chat-request.ts';
import type { ModelFacts } from '../../models/catalogue/model-facts.ts';
import { requestLimits } from '../../runtime/json/json-limits.ts';
import { parseWithin } from '../../runtime/json/parse-json.ts';
import { messageText } from '../content/conversation-shape.ts';
import { parseDataUrl } from '../content/data-url.ts';
import type { ProviderRequest } from '../provider.ts';

interface GoogleContent {
  readonly role: 'user' | 'model';
  readonly parts: readonly object[];
}

/** Google accepts this in place of a signature that it didn't issue itself (wire contract §1.6). */
const foreignSignature = 'skip_thought_signature_validator';

/**
 * Converts the conversation to Google's rules: `user` and `model` alternate, and results of parallel calls share one
 * turn. `strict`: the model refuses a call without its thought signature, and matches results by the ids of their
 * calls.
 */
function googleContents(messages: readonly ChatMessage[], strict: boolean): GoogleContent[] {
  const names = callNames(messages);
  const turns: { role: 'user' | 'model'; parts: object[] }[] = [];
  for (const [index, message] of messages.entries()) {
    const parts = getParts(message, index, names, strict);
    if (!parts.length) continue;
    const role = message.role === 'assistant' ? 'model' : 'user';
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, parts: [...parts] });
  }
  return turns;
}

/** A result names the function at Google, but the call at OpenAI. So this maps each call's id to its function. */
function callNames(messages: readonly ChatMessage[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []));
  return new Map(calls.map((call) => [call.id, call.function.name]));
}

function getParts(message: ChatMessage, index: number, names: ReadonlyMap<string, string>, strict: boolean): object[] {
  switch (message.role) {
    case 'user':
      return typeof message.content === 'string'
        ? textPart(message.content)
        : message.content.flatMap((part, partIndex) => contentPart(part, `messages[${index}].content[${partIndex}]`));
    case 'assistant': {
      const calls = message.tool_calls ?? [];
      return [
        ...textPart(messageText(message)),
        ...calls.map((call, callIndex) =>
          callPart(call, `messages[${index}].tool_calls[${callIndex}]`, strict, callIndex === 0),
        ),
      ];
    }
    case 'tool': {
      const name = names.get(message.tool_call_id) ?? message.tool_call_id;
      const pictures = strict ? getPictures(message, index) : [];
      const text = messageText(message);
      // These are the fields of `FunctionResponse.response`
      // (https://googleapis.github.io/js-genai/classes/types.FunctionResponse.html, read 2026-11-22).
      const response = message.is_error ? { error: text } : resultObject(text);
      const id = strict ? { id: message.tool_call_id } : {};
      return [{ functionResponse: { ...id, name, response, ...(pictures.length > 0 ? { parts: pictures } : {}) } }];
    }
    default:
      return [];
  }
}

const textPart = (text: string) => (/\S/.test(text) ? [{ text }] : []);

const getPictures = ({ content }: Extract<ChatMessage, { role: 'tool' }>, index: number): object[] =>
  typeof content === 'string'
    ? []
    : content.flatMap((part, partIndex) =>
        part.type === 'image_url' ? contentPart(part, `messages[${index}].content[${partIndex}]`) : [],
      );

function contentPart(part: ContentPart, path: string): object[] {
  switch (part.type) {
    case 'text':
      return textPart(part.text);
    case 'image_url':
      return [inlineData(part.image_url.url, `${path}.image_url.url`)];
    case 'file':
      return [inlineData(part.file.file_data ?? '', `${path}.file.file_data`)];
    case 'input_audio':
      return [{ inlineData: { mimeType: `audio/${part.input_audio.format}`, data: part.input_audio.data } }];
  }
}

function inlineData(url: string, param: string): object {
  const data = parseDataUrl(url);
  if (data) return { inlineData: { mimeType: data.mediaType, data: data.base64 } };
  throw new AppError('file_download_failed', 'Google takes files as data URLs only. Send the content itself.', {
    param,
  });
}

/** Of parallel calls only the first one is signed. */
function callPart(call: ToolCall, path: string, strict: boolean, isFirst: boolean): object {
  const own = asText(asObject(asObject(call.extra_content).google).thought_signature);
  const signature = own ?? (strict && isFirst ? foreignSignature : null);
  return {
    functionCall: { ...(strict ? { id: call.id } : {}), name: call.function.name, args: getArguments(call, path) },
    ...(signature === null ? {} : { thoughtSignature: signature }),
  };
}

function getArguments(call: ToolCall, path: string): JsonObject {
  const text = call.function.arguments.trim();
  const value = text === '' ? {} : parsedObject(text);
  if (value) return value;
  const param = `${path}.function.arguments`;
  throw new AppError('invalid_value', `"${param}" must be the JSON text of an object, and not of too many values.`, {
    param,
  });
}

function parsedObject(text: string): JsonObject | null {
  const value = parseWithin(text, requestLimits);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? asObject(value) : null;
}

/** Google requires a result to be an object. */
const resultObject = (text: string): JsonObject => parsedObject(text) ?? { result: text };

type Parameters = ProviderRequest['parameters'];

/**
 * True before Gemini 3, when thinking has a budget in tokens, and calls have neither ids nor signatures that are
 * checked.
 */
const isOld = ({ facts, model }: ProviderRequest) =>
  facts ? facts.thinking.by === 'thinking_budget' : /^gemini-[12]\b/.test(model);

/** The body of `POST /v1beta/models/{model}:streamGenerateContent`. */
export function generateBody(request: ProviderRequest): object {
  const { parameters } = request;
  const system = request.messages
    .filter((message) => message.role === 'system' || message.role === 'developer')
    .map(messageText)
    .filter((text) => /\S/.test(text))
    .join('\n\n');
  return {
    contents: googleContents(request.messages, !isOld(request)),
    ...(system ? { systemInstruction: { parts: [{ text: system }] } } : {}),
    ...toolFields(parameters),
    generationConfig: generationConfig(request),
  };
}

function generationConfig(request: ProviderRequest): object {
  const { parameters, maxTokens } = request;
  const { temperature, top_p, stop, seed, frequency_penalty, presence_penalty } = parameters;
  const stops = typeof stop === 'string' ? [stop] : stop;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { topP: top_p }),
    ...(maxTokens === null ? {} : { maxOutputTokens: maxTokens }),
    ...(stops === undefined ? {} : { stopSequences: stops }),
    ...(seed === undefined ? {} : { seed }),
    ...(frequency_penalty === undefined ? {} : { frequencyPenalty: frequency_penalty }),
    ...(presence_penalty === undefined ? {} : { presencePenalty: presence_penalty }),
    ...(parameters.modalities ? { responseModalities: parameters.modalities.map((name) => name.toUpperCase()) } : {}),
    ...responseFormat(parameters),
    ...thinking(request),
  };
}

function responseFormat({ response_format: format }: Parameters): object {
  if (!format || format.type === 'text') return {};
  const schema = format.type === 'json_schema' ? format.json_schema.schema : undefined;
  return { responseMimeType: 'application/json', ...(schema ? { responseJsonSchema: schema } : {}) };
}

const budgets = { none: 0, minimal: 512, low: 1_024, medium: 8_192, high: 24_576, xhigh: 32_768, max: 32_768 } as const;

/** Replaces the levels that some models refuse, for a model without facts. */
const unknownLevels = { none: 'minimal', xhigh: 'high', max: 'high' } as const;

/** Translates `reasoning_effort`, which was already fitted to the levels that the model supports. */
function thinking(request: ProviderRequest): object {
  const { parameters, facts } = request;
  const { reasoning_effort: effort } = parameters;
  if (!effort) return {};
  const level = facts || !(effort in unknownLevels) ? effort : unknownLevels[effort as keyof typeof unknownLevels];
  const amount = isOld(request) ? { thinkingBudget: budgetFor(effort, facts?.thinking) } : { thinkingLevel: level };
  return { thinkingConfig: { ...amount, includeThoughts: effort !== 'none' } };
}

function budgetFor(effort: keyof typeof budgets, rule: ModelFacts['thinking'] | undefined): number {
  if (effort === 'none' || rule?.by !== 'thinking_budget') return budgets[effort];
  return Math.min(Math.max(budgets[effort], rule.min), rule.max);
}

function toolFields({ tools, tool_choice: choice, web_search_options: search }: Parameters): object {
  // Google's own web search (https://ai.google.dev/gemini-api/docs/google-search, read 2026-11-23). It can't be
  // combined with functions.
  if (!tools?.length) return search ? { tools: [{ googleSearch: {} }] } : {};
  const functionDeclarations = tools.map(({ function: fn }) => ({
    name: fn.name,
    ...(fn.description === undefined ? {} : { description: fn.description }),
    ...(fn.parameters ? { parametersJsonSchema: fn.parameters } : {}),
  }));
  return { tools: [{ functionDeclarations }], toolConfig: { functionCallingConfig: callingConfig(choice) } };
}

function callingConfig(choice: Parameters['tool_choice']): object {
  if (choice === 'none') return { mode: 'NONE' };
  if (choice === 'required') return { mode: 'ANY' };
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.function.name] };
  return { mode: 'AUTO' };
}
