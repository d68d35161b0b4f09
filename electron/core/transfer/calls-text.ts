import { html } from 'hono/html';
import type { ExportedMessage } from '#shared/contract/chat/exported-conversation.ts';
import type { Html } from '#shared/markdown/to-html.ts';
import { markdownWords } from '../runtime/markup/markdown-words.ts';
import type { ExportText } from './export-text.ts';

type Call = ExportedMessage['toolCalls'][number];

function getHead(call: Call, words: ExportText): string {
  const { run } = call;
  const state = run?.state ?? 'skipped';
  const head = words.called(words.call(call), run?.server || null);
  return state in words.calls ? `${head}: ${words.calls[state as keyof typeof words.calls]}` : head;
}

/** Formats tool calls and their results as Markdown. */
export const callsAsMarkdown = ({ toolCalls }: Pick<ExportedMessage, 'toolCalls'>, words: ExportText): string[] =>
  toolCalls.map((call) => [`*${markdownWords(getHead(call, words))}*`, ...getParts(call).map(fenced)].join('\n\n'));

/** Uses a fence longer than any in the text, so the text can't end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** The same as HTML. */
export const callsAsHtml = ({ toolCalls }: Pick<ExportedMessage, 'toolCalls'>, words: ExportText): readonly Html[] =>
  toolCalls.map((call) => {
    const blocks = getParts(call).map((text) => html`<pre>${text}</pre>`);
    return html`<details open><summary>${getHead(call, words)}</summary>${blocks}</details>`;
  });

/** Returns the arguments and the result, without empty ones. */
const getParts = (call: Call): string[] =>
  [call.arguments, call.run?.result ?? ''].filter((text) => text.trim() !== '');
