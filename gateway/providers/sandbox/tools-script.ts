import type { ChatMessage } from '#shared/wire/chat-request.ts';
import { lastUserText, messageText } from '../content/conversation-shape.ts';
import type { ProviderRequest } from '../provider.ts';
import type { Script } from './player.ts';

/**
 * Makes a plausible value for a JSON schema: the first allowed one. The depth is limited, so a recursive schema has an
 * end.
 */
export function getExample(schema: Readonly<Record<string, unknown>>, question: string, depth = 0): unknown {
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (Array.isArray(schema.enum) && schema.enum.length) return schema.enum[0];
  const branch = firstSchema(schema.anyOf) ?? firstSchema(schema.oneOf) ?? firstSchema(schema.allOf);
  if (branch && depth < maxDepth) return getExample(branch, question, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return exampleText(schema, question);
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array': {
      const items = asSchema(schema.items);
      return items && depth < maxDepth ? [getExample(items, question, depth + 1)] : [];
    }
    default:
      return exampleObject(schema, question, depth);
  }
}

const maxDepth = 5;

const asSchema = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;

const firstSchema = (value: unknown) => (Array.isArray(value) ? asSchema(value[0]) : null);

function exampleText(schema: Readonly<Record<string, unknown>>, question: string): string {
  const formats: Readonly<Record<string, string>> = {
    date: '2026-01-01',
    'date-time': '2026-01-01T00:00:00Z',
    uri: 'https://example.com/',
    email: 'someone@example.com',
  };
  const known = formats[String(schema.format)];
  if (known) return known;
  const max = typeof schema.maxLength === 'number' ? Math.min(schema.maxLength, 200) : 200;
  return question.slice(0, max) || 'example'.slice(0, max);
}

function exampleObject(schema: Readonly<Record<string, unknown>>, question: string, depth: number): object {
  const properties = asSchema(schema.properties) ?? {};
  const required = Array.isArray(schema.required) ? schema.required : Object.keys(properties);
  if (depth >= maxDepth) return {};
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name))
      .map(([name, value]) => [name, getExample(asSchema(value) ?? {}, question, depth + 1)]),
  );
}

const textScript = (text: string): Script => ({ reasoning: '', text, toolCall: null, finish: 'stop', cutAt: null });

/**
 * Decides what the model `tools` does, from the request alone. If a calculator is offered, it works out the sums of the
 * question one after another. Otherwise it calls the tool that the question names, or the first one. Then it reports
 * the results.
 */
export function toolsScript({ messages, parameters }: ProviderRequest): Script {
  const question = lastUserText(messages).slice(0, readChars);
  const results = resultsIn(messages);
  const { tool_choice: choice, tools = [] } = parameters;
  const named = typeof choice === 'object' ? choice.function.name : null;
  const tool = tools.find(({ function: { name } }) => (named === null ? namedIn(question, name) : name === named));
  const sums = sumsIn(question);
  const calculator = named === null && !tool && sums.length > 0 ? tools.find(isCalculator) : undefined;
  const chosen = tool ?? calculator ?? (named === null ? tools[0] : undefined);
  const wanted = calculator ? sums.length : 1;
  if (results.length >= wanted || (results.length > 0 && !chosen))
    return textScript(summary(results).slice(0, shownChars));
  if (!chosen || choice === 'none') {
    return textScript('No tool was offered to me, so I can only say hello. Offer me one and I will call it.');
  }
  const { name, parameters: schema } = chosen.function;
  const input = calculator ? { expression: sums[results.length] } : getExample(schema ?? {}, question);
  return {
    ...textScript(''),
    // Each call of a conversation has another id, but the same conversation always gets the same ids.
    toolCall: { id: `call_sandbox_${messages.length}`, name, arguments: JSON.stringify(input) },
    finish: 'tool_calls',
  };
}

/** Sums and names of tools are only searched for at the beginning of a question. */
const readChars = 4_000;
const shownChars = 100_000;

type Tool = NonNullable<ProviderRequest['parameters']['tools']>[number];

const isCalculator = ({ function: { name } }: Tool) => name === 'calculator';

/** A question names a tool by its own name, without the name of its server. */
function namedIn(question: string, name: string): boolean {
  const own = (name.split('__').at(-1) ?? name).replaceAll('_', ' ').toLowerCase();
  return question.replaceAll('_', ' ').toLowerCase().includes(own);
}

/** Finds runs of digits, brackets and signs that contain a calculation. */
const sumsIn = (question: string): string[] =>
  (question.match(/[\d(][\d\s.()+*/^%-]*[\d)]/g) ?? []).filter((sum) => /\d\s*[-+*/^%]/.test(sum));

/** Returns the results of the tools for the last question. */
function resultsIn(messages: readonly ChatMessage[]): string[] {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(asked + 1).flatMap((message) => (message.role === 'tool' ? [messageText(message)] : []));
}

function summary(results: readonly string[]): string {
  const blocks = results.map((result) => `\`\`\`\n${result}\n\`\`\``);
  return `The tool answered:\n\n${blocks.join('\n\n')}\n\nThat is all I needed.`;
}
