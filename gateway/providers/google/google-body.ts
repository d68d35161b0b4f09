import type { ModelFacts } from '../../models/catalogue/model-facts.ts';
import { messageText } from '../content/conversation-shape.ts';
import type { ProviderRequest } from '../provider.ts';
import { googleContents } from './contents.ts';

type Parameters = ProviderRequest['parameters'];

/** Before Gemini 3, thinking has a budget in tokens, and calls have neither ids nor signatures that are checked. */
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

/** Of a model whose facts nobody knows: what all of them take. */
const unknownLevels = { none: 'minimal', xhigh: 'high', max: 'high' } as const;

/** Translates `reasoning_effort`, which was fitted to what the model takes. */
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
  return Math.min(Math.max(budgets[effort], rule.least), rule.most);
}

function toolFields({ tools, tool_choice: choice, web_search_options: search }: Parameters): object {
  // Google's own search (https://ai.google.dev/gemini-api/docs/google-search, read 2026-11-23); never beside functions.
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
