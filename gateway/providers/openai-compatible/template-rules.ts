import { AppError } from '#shared/errors.ts';
import type { ChatMessage, ContentPart } from '#shared/wire/chat-request.ts';
import type { Dialect } from './dialects.ts';

/**
 * Chat templates of open models accept only some orders of roles, and the server refuses the others: Qwen wants one system message
 * at the beginning (https://github.com/vllm-project/vllm/issues/41114), Gemma and Mistral want turns that alternate
 * (https://github.com/suitenumerique/conversations/issues/197), older Gemma knows no system role. Nobody knows a server's template
 * before it refuses, so its rules are learned from its refusals.
 */
export interface TemplateRules {
  /**
   * Where instructions may stand: anywhere; anywhere but joined where several follow each other; only as one message at the
   * beginning; or only as part of a user's turn.
   */
  readonly instructions: 'anywhere' | 'joined' | 'beginning' | 'as_user';
  /** Whether neighbouring turns of one role are joined. */
  readonly alternates: boolean;
}

const isInstruction = ({ role }: ChatMessage) => role === 'system' || role === 'developer';

/** Returns the messages in an order that the template accepts. Returns the same list if it does already. */
export function templateTurns(messages: readonly ChatMessage[], rules: TemplateRules): readonly ChatMessage[] {
  const turns = withInstructions(messages, rules.instructions);
  return rules.alternates ? joinedWhere(turns, isSameTurn) : turns;
}

function withInstructions(
  messages: readonly ChatMessage[],
  rule: TemplateRules['instructions'],
): readonly ChatMessage[] {
  if (rule === 'anywhere') return messages;
  const instructions = messages.filter(isInstruction);
  if (rule === 'as_user') return instructions.length === 0 ? messages : asUserTurns(messages);
  if (instructions.length === 0 || (instructions.length === 1 && instructions[0] === messages[0])) return messages;
  const joined = joinedWhere(messages, (one, other) => isInstruction(one) && isInstruction(other));
  if (rule === 'joined' || joined.findLastIndex(isInstruction) === 0) return joined;
  const [leading] = joinedWhere(instructions, () => true);
  return [...(leading ? [leading] : []), ...messages.filter((message) => !isInstruction(message))];
}

/** Instructions become part of the user's next turn. */
const asUserTurns = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
  joinedWhere(
    messages.map((message) => (isInstruction(message) ? ({ ...message, role: 'user' } as ChatMessage) : message)),
    (one, other) => one.role === 'user' && other.role === 'user',
  );

/** Calls and their results are not joined, because each result belongs to its call. */
const isSameTurn = (one: ChatMessage, other: ChatMessage): boolean =>
  one.role === other.role &&
  one.role !== 'tool' &&
  !(one.role === 'assistant' && one.tool_calls?.length) &&
  !(other.role === 'assistant' && other.tool_calls?.length);

function joinedWhere(
  messages: readonly ChatMessage[],
  belongTogether: (one: ChatMessage, other: ChatMessage) => boolean,
): readonly ChatMessage[] {
  const turns: ChatMessage[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last && belongTogether(last, message)) turns[turns.length - 1] = joined(last, message);
    else turns.push(message);
  }
  return turns.length === messages.length ? messages : turns;
}

function joined(one: ChatMessage, other: ChatMessage): ChatMessage {
  const [first, second] = [one.content ?? '', other.content ?? ''];
  const mark = other.cache_control ?? one.cache_control;
  const marked = mark ? { cache_control: mark } : {};
  const content =
    typeof first === 'string' && typeof second === 'string'
      ? [first, second].filter(Boolean).join('\n\n')
      : [...parts(first), ...parts(second)];
  return { ...one, ...marked, content } as ChatMessage;
}

const parts = (content: string | readonly ContentPart[]): readonly ContentPart[] =>
  typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : content;

const wantsBeginning = /system (message|prompt|role).{0,40}(beginning|first)|only the first message.{0,40}system/i;
const knowsNoSystem =
  /system (role|message|prompt)s? (is |are )?not supported|does not support (the )?system|unexpected role '?"?system/i;
const wantsTurns = /roles must alternate|must alternate (between )?user/i;

/** Returns the dialect with the rule that a server named in its refusal. Null if it named none, or one that is kept already. */
export function stricterDialect(error: unknown, dialect: Dialect): Dialect | null {
  if (!(error instanceof AppError)) return null;
  const words = error.providerError?.message ?? '';
  if (knowsNoSystem.test(words) && dialect.instructions !== 'as_user') return { ...dialect, instructions: 'as_user' };
  const isLoose = dialect.instructions === 'anywhere' || dialect.instructions === 'joined';
  if (wantsBeginning.test(words) && isLoose) return { ...dialect, instructions: 'beginning' };
  // Several instructions also break the order, and joining turns alone doesn't mend that.
  if (wantsTurns.test(words) && !dialect.alternates) {
    return { ...dialect, alternates: true, instructions: isLoose ? 'beginning' : dialect.instructions };
  }
  return null;
}
