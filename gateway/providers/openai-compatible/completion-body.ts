import type { ChatMessage } from '#shared/wire/chat-request.ts';
import { unmarked } from '../../content/cache-marks.ts';
import type { ProviderRequest } from '../provider.ts';
import type { Dialect } from './dialects.ts';
import { openAiFields } from './openai-fields.ts';
import { messageFor } from './request-message.ts';
import { formatWords, responseFormat, toolFields } from './request-tools.ts';

type Parameters = ProviderRequest['parameters'];

/** The body of `POST /chat/completions`. */
export function completionBody(request: ProviderRequest, dialect: Dialect): object {
  return {
    ...dialect.always,
    ...openAiFields(request.openaiOnly),
    ...plainParameters(request.parameters, dialect),
    ...responseFormat(request.parameters, dialect),
    ...toolFields(request.parameters, dialect),
    ...effortField(request, dialect),
    model: request.model,
    messages: messagesFor(request, dialect),
    stream: !request.whole,
    ...(dialect.asksForUsage && !request.whole ? { stream_options: { include_usage: true } } : {}),
    ...(request.maxTokens === null ? {} : { [dialect.maxTokensField]: request.maxTokens }),
  };
}

/** What is sent as it came, without what has its own rule and what this server refuses. */
function plainParameters(parameters: Parameters, { refuses, seedField }: Dialect): object {
  const {
    response_format: _format,
    tools: _tools,
    tool_choice: _choice,
    reasoning_effort: _effort,
    ...rest
  } = parameters;
  const { parallel_tool_calls: _parallel, seed, ...plain } = rest;
  const kept = Object.fromEntries(Object.entries(plain).filter(([name]) => !refuses.includes(name)));
  return { ...kept, ...(seed === undefined || refuses.includes('seed') ? {} : { [seedField]: seed }) };
}

function messagesFor({ messages, parameters }: ProviderRequest, dialect: Dialect): object[] {
  const words = formatWords(parameters, dialect);
  const sent = messages.map((message) =>
    messageFor(dialect.keepsCacheMarks ? message : unmarkedMessage(message), dialect),
  );
  return words === '' ? sent : [{ role: 'system', content: words }, ...sent];
}

const unmarkedMessage = (message: ChatMessage) => unmarked(message) as ChatMessage;

function effortField({ parameters, messages }: ProviderRequest, dialect: Dialect): object {
  const effort = parameters.reasoning_effort;
  if (dialect.effort === 'thinking_switch') {
    if (messages.some(lostItsThinking)) return { thinking: { type: 'disabled' } };
    return effort === undefined ? {} : { thinking: { type: effort === 'none' ? 'disabled' : 'enabled' } };
  }
  return effort === undefined || dialect.effort === 'none' ? {} : { reasoning_effort: effort };
}

const lostItsThinking = (message: ChatMessage) =>
  message.role === 'assistant' && Boolean(message.tool_calls?.length) && !message.reasoning_content;
