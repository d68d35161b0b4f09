import { createHash } from 'node:crypto';
import type { ChatMessage, ToolCall } from '#shared/wire/chat-request.ts';
import { asArray, asObject } from '../../lib/json-value.ts';
import type { Dialect } from './dialects.ts';

/** One message in the words of this server. */
export function messageFor(message: ChatMessage, dialect: Dialect): object {
  switch (message.role) {
    case 'developer':
      return dialect.knowsDeveloperRole ? message : { ...message, role: 'system' };
    case 'assistant':
      return assistantMessage(message, dialect);
    case 'tool':
      return dialect.nineCharacterIds ? { ...message, tool_call_id: nineCharacters(message.tool_call_id) } : message;
    default:
      return without(message, dialect.refusesInMessages);
  }
}

function assistantMessage(message: Extract<ChatMessage, { role: 'assistant' }>, dialect: Dialect): object {
  const { reasoning_content: reasoning, tool_calls: calls, ...rest } = message;
  return {
    ...without(rest, dialect.refusesInMessages),
    ...(reasoning !== undefined && dialect.givesBack === 'reasoning_content' ? { reasoning_content: reasoning } : {}),
    ...(dialect.givesBack === 'reasoning_details' ? reasoningDetails(calls ?? []) : {}),
    ...(calls ? { tool_calls: calls.map((call) => callFor(call, dialect)) } : {}),
  };
}

function callFor(call: ToolCall, { keepsExtraContent, nineCharacterIds }: Dialect): object {
  const { extra_content: extra, ...rest } = call;
  return {
    ...rest,
    ...(nineCharacterIds ? { id: nineCharacters(call.id) } : {}),
    ...(keepsExtraContent && extra ? { extra_content: extra } : {}),
  };
}

/** They travel as `extra_content.openrouter.reasoning_details` of the calls that the thinking led to. */
function reasoningDetails(calls: readonly ToolCall[]): object {
  const details = calls.flatMap((call) => asArray(asObject(asObject(call.extra_content).openrouter).reasoning_details));
  return details.length > 0 ? { reasoning_details: details } : {};
}

/** The same id always becomes the same nine letters and digits; one that already is of that kind stays. */
const nineCharacters = (id: string) =>
  /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);

const without = (message: object, names: readonly string[]): object =>
  names.length === 0 ? message : Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)));
