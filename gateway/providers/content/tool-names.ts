import { createHash } from 'node:crypto';
import type { ChatMessage, CompletionRequest } from '#shared/wire/chat-request.ts';

/**
 * Names of tools that a vendor refuses are replaced by shorter ones, and the model's calls get the client's names back. Anthropic
 * takes 128 characters, OpenAI 64, and Google 64 that begin with a letter or an underscore
 * (https://cloud.google.com/vertex-ai/generative-ai/docs/reference/nodejs/1.1.0/vertexai/functiondeclaration, read 2026-11-28).
 */

/** Every vendor takes such a name. */
const usual = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const rules: Readonly<Record<string, RegExp>> = { anthropic: /^[a-zA-Z0-9_-]{1,128}$/, google: usual };
const otherwise = /^[a-zA-Z0-9_-]{1,64}$/;

type Tools = CompletionRequest['tools'];

/** Returns the names of tools and of earlier calls that some vendor refuses. */
export function unusualNames(messages: readonly ChatMessage[], tools: Tools): readonly string[] {
  const names = new Set<string>();
  const check = (name: string) => {
    if (!usual.test(name)) names.add(name);
  };
  for (const { function: fn } of tools ?? []) check(fn.name);
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const call of message.tool_calls ?? []) check(call.function.name);
  }
  return [...names];
}

/** Returns the names to send in place of those that the provider refuses, by the client's names. */
export function replacedNames(names: readonly string[], provider: string): Readonly<Record<string, string>> {
  const rule = rules[provider] ?? otherwise;
  const refused = names.filter((name) => name !== '' && !rule.test(name));
  return Object.fromEntries(refused.map((name) => [name, shortName(name)]));
}

/** The hash keeps names apart that begin alike, and is the same in every request, so that prompt caches hold. */
function shortName(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  const readable = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 54);
  return `${/^[a-zA-Z_]/.test(readable) ? '' : '_'}${readable}_${hash}`;
}

type Parameters = Partial<Pick<CompletionRequest, 'tools' | 'tool_choice'>>;
type Names = Readonly<Record<string, string>>;

const getName = (names: Names, name: string): string => (Object.hasOwn(names, name) ? (names[name] ?? name) : name);

/** Returns the messages with the replaced names in their calls. */
export const withNames = (messages: readonly ChatMessage[], names: Names): readonly ChatMessage[] =>
  messages.map((message) => {
    if (message.role !== 'assistant' || !message.tool_calls?.length) return message;
    const tool_calls = message.tool_calls.map((call) => ({
      ...call,
      function: { ...call.function, name: getName(names, call.function.name) },
    }));
    return { ...message, tool_calls };
  });

/** Returns the parameters with the replaced names in the tools and in the forced one. */
export function withToolNames<T extends Parameters>(parameters: T, names: Names): T {
  const { tools, tool_choice: choice } = parameters;
  return {
    ...parameters,
    ...(tools ? { tools: tools.map((tool) => ({ ...tool, function: named(tool.function, names) })) } : {}),
    ...(typeof choice === 'object' ? { tool_choice: { ...choice, function: named(choice.function, names) } } : {}),
  };
}

const named = <T extends { readonly name: string }>(fn: T, names: Names): T => ({
  ...fn,
  name: getName(names, fn.name),
});
