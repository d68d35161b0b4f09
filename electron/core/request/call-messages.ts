import type { Message, ToolCall } from '#shared/contract/chat/conversations.ts';
import type { CompletionRequestBody } from '#shared/wire/chat-request.ts';

type WireMessage = CompletionRequestBody['messages'][number];
type Answer = Pick<Message, 'text'> & Partial<Pick<Message, 'toolCalls' | 'finishReason' | 'reasoning'>>;

/** The calls of an answer that the model made to the end. One that was cut off in the middle called nothing. */
export const callsOf = ({ toolCalls = [], finishReason }: Partial<Pick<Message, 'toolCalls' | 'finishReason'>>) =>
  finishReason === 'tool_calls' ? toolCalls : [];

/** What the model is told of a call: every call has exactly one result, whatever became of it. */
export function resultOf({ run }: ToolCall): string {
  switch (run?.state) {
    case 'done':
    case 'failed':
    case 'skipped':
      return run.result || 'The tool answered without words.';
    case 'denied':
      return 'The user did not allow this call. Go on without it.';
    case 'stopped':
      return run.startedAt === null
        ? 'Not run: the answer was stopped before the user had decided.'
        : 'Stopped before it answered. It may have done its work, or not.';
    default:
      return 'Not run.';
  }
}

/**
 * An answer with calls as the wire has it, each call with its result behind it. `thinking`: its reasoning goes back with
 * it, which some providers want while they still work on the same question (wire contract §1.3).
 */
export function withCalls(answer: Answer, thinking: boolean): WireMessage[] {
  const calls = callsOf(answer).map((call, at) => ({ ...call, id: call.id || `call_${at}` }));
  return [
    {
      role: 'assistant',
      content: answer.text === '' ? null : answer.text,
      tool_calls: calls.map(({ id, name, arguments: input, extra }) => ({
        id,
        type: 'function',
        function: { name, arguments: objectIn(input) },
        ...(extra ? { extra_content: extra } : {}),
      })),
      ...(thinking && answer.reasoning ? { reasoning_content: answer.reasoning } : {}),
    },
    ...calls.map((call): WireMessage => ({ role: 'tool', tool_call_id: call.id, content: resultOf(call) })),
  ];
}

/** The same in words alone, for a request without tools. */
export function wordsWithCalls(answer: Answer): string {
  const calls = callsOf(answer).map(
    (call) => `[Used the tool ${call.name} with ${call.arguments || '{}'}. It answered:\n${resultOf(call)}]`,
  );
  return [...(answer.text.trim() === '' ? [] : [answer.text]), ...calls].join('\n\n');
}

/** Several providers refuse a whole conversation for one call whose arguments are not an object. */
function objectIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : '{}';
  } catch {
    return '{}';
  }
}
