import { createHash } from 'node:crypto';
import type { ChatMessage, ContentPart, ToolCall } from '#shared/wire/chat-request.ts';
import { foreignDetails } from '../../content/reasoning-details.ts';
import type { Dialect } from './dialects.ts';
import { withoutAddress } from './extra-content.ts';

/** One message in the words of this server. */
export function messageFor(message: ChatMessage, dialect: Dialect): object {
  switch (message.role) {
    case 'developer':
      return { ...knownFields(message, dialect), role: dialect.knowsDeveloperRole ? 'developer' : 'system' };
    case 'assistant':
      return assistantMessage(message, dialect);
    case 'tool': {
      return { ...knownFields(message, dialect), tool_call_id: idFor(message.tool_call_id, dialect) };
    }
    case 'user':
      return knownFields({ ...message, content: partsFor(message.content, dialect) }, dialect);
    default:
      return knownFields(message, dialect);
  }
}

/** A user's parts as the server takes them; the same list where it takes all. */
function partsFor(content: string | readonly ContentPart[], dialect: Dialect): string | readonly ContentPart[] {
  if (typeof content === 'string') return content;
  const parts = content.map((part) => partFor(part, dialect));
  return parts.some((part, index) => part !== content[index]) ? parts : content;
}

/** OpenAI takes a file without a name for one that is stored there. */
function partFor(part: ContentPart, { knowsOriginalDetail }: Dialect): ContentPart {
  if (part.type === 'file' && part.file.filename === undefined) {
    return { ...part, file: { ...part.file, filename: 'document.pdf' } };
  }
  if (part.type !== 'image_url' || part.image_url.detail !== 'original' || knowsOriginalDetail) return part;
  return { ...part, image_url: { ...part.image_url, detail: 'high' } };
}

function assistantMessage(message: Extract<ChatMessage, { role: 'assistant' }>, dialect: Dialect): object {
  const { reasoning_content: reasoning, tool_calls: calls } = message;
  return {
    ...knownFields(message, dialect),
    ...(reasoning !== undefined && dialect.givesBack === 'reasoning_content' ? { reasoning_content: reasoning } : {}),
    ...(dialect.givesBack === 'reasoning_details' ? reasoningDetails(message) : {}),
    ...(calls ? { tool_calls: calls.map((call) => callFor(call, dialect)) } : {}),
  };
}

/** What was held to its form when the request was read, and what is text where it is a text. */
const readFields = new Set(['role', 'content', 'cache_control']);
const textFields = new Set(['name', 'refusal']);

/**
 * What a message says, and switches that servers have of their own (`prefix`). Nothing else that a caller adds goes on: in a
 * field of which nobody here knows what it does could stand an address that the server fetches.
 */
function knownFields(message: object, { refusesInMessages }: Dialect): object {
  const goesOn = ([name, value]: [string, unknown]) =>
    !refusesInMessages.includes(name) &&
    name !== 'is_error' &&
    (readFields.has(name) || typeof value === 'boolean' || (textFields.has(name) && typeof value === 'string'));
  return Object.fromEntries(Object.entries(message).filter(goesOn));
}

function callFor({ id, type, function: fn, extra_content: extra }: ToolCall, dialect: Dialect): object {
  return {
    ...{ id: idFor(id, dialect), type, function: fn },
    ...(dialect.keepsExtraContent && extra ? { extra_content: withoutAddress(extra) } : {}),
  };
}

/** They travel as `extra_content.openrouter.reasoning_details` of the calls that the thinking led to. */
function reasoningDetails(message: Extract<ChatMessage, { role: 'assistant' }>): object {
  const details = foreignDetails(message);
  return details.length > 0 ? { reasoning_details: withoutAddress(details) } : {};
}

/** OpenAI refuses longer ones (https://github.com/jin-bo/agentao/pull/321, read 2026-11-22); other gateways hand such out. */
const longestId = 64;

function idFor(id: string, { nineCharacterIds }: Dialect): string {
  if (nineCharacterIds) return nineCharacters(id);
  return id.length <= longestId ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/** The same id always becomes the same nine letters and digits; one that already is of that kind stays. */
const nineCharacters = (id: string) =>
  /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
