import { crc32, deflateSync } from 'node:zlib';
import { AppError } from '#shared/errors.ts';
import type { ChatMessage } from '#shared/wire/chat-request.ts';
import { type Citations, citations } from '../content/citations.ts';
import { lastUserText } from '../content/conversation-shape.ts';
import { tokensOfBytes } from '../content/estimate-tokens.ts';
import type { ProviderRequest } from '../provider.ts';
import { bytesOfWords } from './bytes-of-words.ts';
import type { Script } from './player.ts';
import { toolsScript } from './tools-script.ts';
import { tourPages } from './tour-pages.ts';

/** Width and height of the picture in pixels. */
const size = 512;
const shapes = 7;

/** An answer with a picture that is made from the question. The same words get the same shapes and colours. */
function painterScript(question: string, messages: readonly ChatMessage[]): Script {
  const last = messages.findLast(({ role }) => role === 'user')?.content;
  const seen = Array.isArray(last) ? last.filter(({ type }) => type === 'image_url').length : 0;
  const pictures = seen === 1 ? 'one picture' : `${seen} pictures`;
  const begun = seen === 0 ? '' : ` It had ${pictures} to begin with.`;
  const text = `This picture is simulated: its shapes and colours come from the words of the question.${begun}`;
  const url = `data:image/png;base64,${picture(question).toString('base64')}`;
  return { reasoning: '', text, toolCall: null, finish: 'stop', cutAt: null, images: [{ type: 'image', url }] };
}

/** Each line of a PNG begins with a byte for its filter, which is 0 for none. */
const lineBytes = 1 + size * 3;

/** Draws a PNG of circles on a background. The hash of the words decides colours, places and sizes. */
function picture(words: string): Buffer {
  const digest = bytesOfWords(words, 3 + shapes * 6);
  const pixels = Buffer.alloc(size * lineBytes);
  /** Colours some pixels of a line. `colour`: the offset of the colour's three bytes in the digest. */
  const paint = (line: number, from: number, to: number, colour: number) => {
    const begin = line * lineBytes + 1;
    pixels.fill(digest.subarray(colour, colour + 3), begin + Math.max(from, 0) * 3, begin + Math.min(to, size) * 3);
  };
  for (let line = 0; line < size; line += 1) paint(line, 0, size, 0);
  for (let offset = 3; offset < digest.length; offset += 6) {
    const [left = 0, top = 0, width = 0] = digest.subarray(offset, offset + 3);
    const radius = 24 + width / 2;
    for (let line = 0; line < size; line += 1) {
      const half = Math.floor(Math.sqrt(radius ** 2 - (line - top * 2) ** 2));
      if (half > 0) paint(line, left * 2 - half, left * 2 + half, offset + 3);
    }
  }
  return png(pixels);
}

/** Writes a PNG with eight bits for each of red, green and blue (https://www.w3.org/TR/png-3/). */
function png(pixels: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND')]);
}

function chunk(type: string, data: Uint8Array = new Uint8Array()): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(typed.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(typed, 4);
  whole.writeUInt32BE(crc32(typed), typed.length + 4);
  return whole;
}

interface Topic {
  readonly words: RegExp;
  readonly answer: string;
}

/** If two topics match equally often, the first one wins. */
const topics: readonly Topic[] = [
  { words: /\b(curl|sdk|openai client|endpoint|gateway|script|http|api(?! keys?))\b/gi, answer: tourPages.gateway },
  { words: /\b(keys?|byok|keychain|secret|secure|security|safe|password|token storage)\b/gi, answer: tourPages.keys },
  { words: /\b(prices?|pricing|costs?|cheap|cheapest|expensive|quote|estimate)\b/gi, answer: tourPages.prices },
  {
    words: /\b(ledger|credits?|balance|bill|billed|charge|charged|hold|refund|reconcil\w*|money)\b/gi,
    answer: tourPages.ledger,
  },
  { words: /\b(router?|routing|auto|choose|chosen|chose|pick|fallback)\b/gi, answer: tourPages.router },
  { words: /\b(shortcuts?|keyboard|hotkeys?|palette|ctrl|cmd)\b/gi, answer: tourPages.shortcuts },
  { words: /\b(sandbox|simulated|fake|test credits|offline)\b/gi, answer: tourPages.sandbox },
  { words: /\b(privacy|private|telemetry|data|store[ds]?|where)\b/gi, answer: tourPages.privacy },
];

const greeting =
  /^\W*(hi|hello|hey|hallo|hola|salut|bonjour|moin|good (morning|evening|afternoon))\b[\s\p{P}\p{S}]*$/iu;

/** Answers a question about Portico by the words in it. A question without a known word gets the general tour. */
function tourAnswer(question: string): string {
  if (greeting.test(question)) return tourPages.greeting;
  const asked = question.slice(0, 4_000);
  const hits = topics.map((topic) => asked.match(topic.words)?.length ?? 0);
  const maxHits = Math.max(...hits);
  return maxHits > 0 ? (topics[hits.indexOf(maxHits)]?.answer ?? tourPages.general) : tourPages.general;
}

const pages = [
  { title: 'Simulated page one', url: 'https://example.com/simulated/one' },
  { title: 'Simulated page two', url: 'https://example.org/simulated/two' },
];

/** As many tokens as a search counts with OpenAI's models (https://platform.openai.com/docs/pricing). */
const foundTokens = 8_000;

/** An answer that cites a web search. The search is made up, like everything in the sandbox. */
function searchScript(): Script {
  const begin = 'This search is simulated: nothing was asked of the web.\n\n';
  const first = 'The first page would say what is asked for.';
  const second = 'The second would say it in other words, and when.';
  const text = `${begin}- ${first}\n- ${second}`;
  const cited = (words: string, page: number): Citations => {
    const from = text.indexOf(words);
    return citations(pages.slice(page, page + 1), from, from + words.length);
  };
  return {
    reasoning: '',
    text,
    toolCall: null,
    finish: 'stop',
    cutAt: null,
    searches: 1,
    foundTokens,
    citations: [cited(first, 0), cited(second, 1)],
  };
}

/** Decides what a sandbox model answers, from the request alone. So the same question gets the same answer. */
export function scriptFor(request: ProviderRequest): Script {
  const write = writers[request.model];
  if (!write) {
    throw new AppError('upstream_error', `The sandbox has no model "${request.model}".`, { provider: 'sandbox' });
  }
  return limited(write(request), request);
}

const textScript = (text: string): Script => ({ reasoning: '', text, toolCall: null, finish: 'stop', cutAt: null });

/** The sandbox reads no more than this of a question. Its answers are for people, who never need more. */
const readChars = 100_000;
const questionIn = (messages: ProviderRequest['messages']): string => lastUserText(messages).slice(0, readChars);

const writers: Readonly<Record<string, (request: ProviderRequest) => Script>> = {
  tour: ({ messages }) => textScript(tourAnswer(questionIn(messages))),
  echo: ({ messages }) => textScript(questionIn(messages)),
  slow: ({ messages }) => textScript(slowAnswer(questionIn(messages))),
  flaky: flakyScript,
  tools: searchOrTools,
  painter: ({ messages }) => painterScript(questionIn(messages), messages),
  reasoner: ({ messages }) => reasonerScript(questionIn(messages)),
};

/** Functions take precedence over a search, because the client that offers them waits for a call. */
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

/** Fails depending on the turn and on a word, never by chance: see the model's description. */
function flakyScript({ messages }: ProviderRequest): Script {
  const question = questionIn(messages);
  const turn = messages.filter((message) => message.role === 'user').length;
  const answer = `This is turn ${turn}, an even one, so the answer came through. You asked: ${quoted(question)}`;
  if (/\bcut\b/i.test(question)) return { ...textScript(`${answer}\n\n${answer}`), cutAt: 0.5 };
  if (turn % 2 === 1) {
    throw new AppError('upstream_overloaded', 'The sandbox is overloaded on purpose. Send the message again.', {
      provider: 'sandbox',
      retryAfterMs: 1_000,
    });
  }
  return textScript(answer);
}

function reasonerScript(question: string): Script {
  const words = question.split(/\s+/).filter(Boolean).length;
  return {
    ...textScript(
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

/** Returns as much of a text as fits into the tokens, cut between code points. */
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
