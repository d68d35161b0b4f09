import { messageText } from '../../content/message-text.ts';
import type { ProviderRequest } from '../provider.ts';
import { googleContents } from './contents.ts';

type Parameters = ProviderRequest['parameters'];

/** Before Gemini 3, thinking has a budget in tokens and calls are not signed. */
const isOld = (model: string) => /^gemini-[12]\b/.test(model);

/** The body of `POST /v1beta/models/{model}:streamGenerateContent`. */
export function generateBody(request: ProviderRequest): object {
  const { parameters } = request;
  const system = request.messages
    .filter((message) => message.role === 'system' || message.role === 'developer')
    .map(messageText)
    .filter(Boolean)
    .join('\n\n');
  return {
    contents: googleContents(request.messages, !isOld(request.model)),
    ...(system ? { systemInstruction: { parts: [{ text: system }] } } : {}),
    ...toolFields(parameters),
    generationConfig: generationConfig(request),
  };
}

function generationConfig({ parameters, maxTokens, model }: ProviderRequest): object {
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
    ...responseFormat(parameters),
    ...thinking(parameters, model),
  };
}

function responseFormat({ response_format: format }: Parameters): object {
  if (!format || format.type === 'text') return {};
  const schema = format.type === 'json_schema' ? format.json_schema.schema : undefined;
  return { responseMimeType: 'application/json', ...(schema ? { responseJsonSchema: schema } : {}) };
}

const budgets = { none: 0, minimal: 512, low: 1_024, medium: 8_192, high: 24_576, xhigh: 24_576 } as const;
const levels = {
  none: 'minimal',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
} as const;

function thinking({ reasoning_effort: effort }: Parameters, model: string): object {
  if (!effort) return {};
  const amount = isOld(model) ? { thinkingBudget: budgets[effort] } : { thinkingLevel: levels[effort] };
  return { thinkingConfig: { ...amount, includeThoughts: effort !== 'none' } };
}

function toolFields({ tools, tool_choice: choice }: Parameters): object {
  if (!tools?.length) return {};
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
