import { AppError } from '#shared/errors.ts';
import { lastUserText } from '../content/conversation-shape.ts';
import { tokensOfBytes } from '../content/estimate-tokens.ts';
import type { ProviderRequest } from '../provider.ts';
import { painterScript } from './painter-script.ts';
import type { Script } from './player.ts';
import { searchScript } from './search-script.ts';
import { toolsScript } from './tools-script.ts';
import { tourAnswer } from './tour.ts';

/** Decides what a sandbox model answers: from the request alone, so that the same question gets the same answer. */
export function scriptFor(request: ProviderRequest): Script {
  const write = writers[request.model];
  if (!write) {
    throw new AppError('upstream_error', `The sandbox has no model "${request.model}".`, { provider: 'sandbox' });
  }
  return limited(write(request), request);
}

const said = (text: string): Script => ({ reasoning: '', text, toolCall: null, finish: 'stop', cutAt: null });

/** The sandbox reads no more than this of a question: what it does with it is for people who look on. */
const readChars = 100_000;
const questionIn = (messages: ProviderRequest['messages']): string => lastUserText(messages).slice(0, readChars);

const writers: Readonly<Record<string, (request: ProviderRequest) => Script>> = {
  tour: ({ messages }) => said(tourAnswer(questionIn(messages))),
  echo: ({ messages }) => said(questionIn(messages)),
  slow: ({ messages }) => said(slowAnswer(questionIn(messages))),
  flaky: flakyScript,
  tools: searchOrTools,
  painter: ({ messages }) => painterScript(questionIn(messages), messages),
  reasoner: ({ messages }) => reasonerScript(questionIn(messages)),
};

/** Functions come first: what calls them waits for them. */
function searchOrTools(request: ProviderRequest): Script {
  const { tools, web_search_options: search } = request.parameters;
  return search && !tools?.length ? searchScript() : toolsScript(request);
}

function slowAnswer(question: string): string {
  const paragraphs = Array.from(
    { length: 12 },
    (_, index) =>
      `**Part ${index + 1} of 12.** This model writes slowly on purpose, about ten tokens a second, so that there is ` +
      'time to press Stop, switch to another chat, close the window or pull the plug, and then to see what was kept ' +
      'and what was charged.',
  );
  return [`You asked: ${quoted(question)}`, ...paragraphs].join('\n\n');
}

/** Faults by turn and by word, never by chance: see the model's description. */
function flakyScript({ messages }: ProviderRequest): Script {
  const question = questionIn(messages);
  const turn = messages.filter((message) => message.role === 'user').length;
  const answer = `This is turn ${turn}, an even one, so the answer came through. You asked: ${quoted(question)}`;
  if (/\bcut\b/i.test(question)) return { ...said(`${answer}\n\n${answer}`), cutAt: 0.5 };
  if (turn % 2 === 1) {
    throw new AppError('upstream_overloaded', 'The sandbox is overloaded on purpose. Send the message again.', {
      provider: 'sandbox',
      retryAfterMs: 1_000,
    });
  }
  return said(answer);
}

function reasonerScript(question: string): Script {
  const words = question.split(/\s+/).filter(Boolean).length;
  return {
    ...said(
      `You asked: ${quoted(question)}\n\n1. I read ${words} ${words === 1 ? 'word' : 'words'}.\n2. I thought about them ` +
        'in the open; unfold the reasoning above to read it.\n3. Reasoning is output: its tokens are on the bill.',
    ),
    reasoning:
      `The question has ${words} ${words === 1 ? 'word' : 'words'}. First I restate it: ${quoted(question)} ` +
      'Then I check whether anything in it needs a tool; nothing does. A model without a network cannot know the answer, so the ' +
      'honest reply is to show the steps and say so.',
  };
}

const quoted = (text: string): string => `“${text.length > 200 ? `${text.slice(0, 200)}…` : text}”`;

/** Applies `stop` and the token limit, as a real model would. */
function limited(script: Script, request: ProviderRequest): Script {
  const { stop } = request.parameters;
  const stops = typeof stop === 'string' ? [stop] : (stop ?? []);
  const ends = stops.map((text) => script.text.indexOf(text)).filter((index) => index >= 0);
  const stopped = ends.length ? { ...script, text: script.text.slice(0, Math.min(...ends)), cutAt: null } : script;
  return withinTokens(stopped, request.maxTokens);
}

function withinTokens(script: Script, maxTokens: number | null): Script {
  if (maxTokens === null) return script;
  const reasoning = firstTokens(script.reasoning, maxTokens);
  const left = maxTokens - tokensOfBytes(Buffer.byteLength(reasoning));
  const text = firstTokens(script.text, left);
  const callTokens = script.toolCall
    ? tokensOfBytes(Buffer.byteLength(script.toolCall.name + script.toolCall.arguments))
    : 0;
  const whole = reasoning === script.reasoning && text === script.text && callTokens <= left;
  return whole ? script : { reasoning, text, toolCall: null, finish: 'length', cutAt: null };
}

/** As much of a text as fits, cut between code points. */
function firstTokens(text: string, tokens: number): string {
  if (tokensOfBytes(Buffer.byteLength(text)) <= tokens) return text;
  let end = 0;
  let bytes = 0;
  for (const point of text) {
    bytes += Buffer.byteLength(point);
    if (tokensOfBytes(bytes) > tokens) break;
    end += point.length;
  }
  return text.slice(0, end);
}
