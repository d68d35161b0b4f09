import type { Message, ToolCall } from '#shared/contract/chat/conversations.ts';
import type { CompletionRequestBody } from '#shared/wire/chat-request.ts';

type WireMessage = CompletionRequestBody['messages'][number];
type Answer = Pick<Message, 'text'> & Partial<Pick<Message, 'toolCalls' | 'finishReason' | 'reasoning'>>;

/** The calls of an answer, if the model completed them. A cut-off answer called nothing. */
export const getCalls = ({ toolCalls = [], finishReason }: Partial<Pick<Message, 'toolCalls' | 'finishReason'>>) =>
  finishReason === 'tool_calls' ? toolCalls : [];

/** The result that the model gets for a call: each call has exactly one, whatever the outcome. */
export function getResult({ run }: ToolCall): string {
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
 * An answer with calls as wire messages, each call followed by its result. `thinking`: with its reasoning, which some
 * providers need while they still work on the same question (wire contract §1.3).
 */
export function withCalls(answer: Answer, thinking: boolean): WireMessage[] {
  const calls = getCalls(answer).map((call, at) => ({ ...call, id: call.id || `call_${at}` }));
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
    ...calls.map((call): WireMessage => ({ role: 'tool', tool_call_id: call.id, content: getResult(call) })),
  ];
}

/** The same as plain text, for a request without tools. */
export function wordsWithCalls(answer: Answer): string {
  const calls = getCalls(answer).map(
    (call) => `[Used the tool ${call.name} with ${call.arguments || '{}'}. It answered:\n${getResult(call)}]`,
  );
  return [...(answer.text.trim() === '' ? [] : [answer.text]), ...calls].join('\n\n');
}

/** Several providers refuse a whole conversation if one call’s arguments are not an object. */
function objectIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : '{}';
  } catch {
    return '{}';
  }
}
