import type { ChatMessage } from '#shared/wire/chat-request.ts';

/** What providers want back with a tool call, as its `extra_content`, by the call's id. */
export type CallState = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The messages with the state of calls that came back without any; the same ones where there is none. */
export function withCallState(
  messages: readonly ChatMessage[],
  state: CallState | null | undefined,
): readonly ChatMessage[] {
  if (!state?.size) return messages;
  return messages.map((message) => {
    if (message.role !== 'assistant' || !message.tool_calls) return message;
    const calls = message.tool_calls.map((call) => {
      const known = call.extra_content ? undefined : state.get(call.id);
      return known ? { ...call, extra_content: { ...known } } : call;
    });
    return { ...message, tool_calls: calls };
  });
}
