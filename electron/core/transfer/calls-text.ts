import { html } from 'hono/html';
import type { Html } from '#shared/markdown/to-html.ts';
import type { ExportedMessage } from '#shared/transfer.ts';
import { markdownWords } from './markdown-words.ts';

type Call = ExportedMessage['toolCalls'][number];

const states: Partial<Record<NonNullable<Call['run']>['state'], string>> = {
  denied: 'not allowed',
  failed: 'failed',
  skipped: 'not run',
  stopped: 'stopped',
};

function headOf({ name, run }: Call): string {
  const server = run?.server ? ` (${run.server})` : '';
  const state = run === undefined ? 'not run' : states[run.state];
  return `Called ${run?.title || name}${server}${state ? `: ${state}` : ''}`;
}

/** What an answer called and was told, as Markdown. */
export const callsAsMarkdown = ({ toolCalls }: Pick<ExportedMessage, 'toolCalls'>): string[] =>
  toolCalls.map((call) => [`*${markdownWords(headOf(call))}*`, ...partsOf(call).map(fenced)].join('\n\n'));

/** A fence longer than any in the text, so that the text cannot end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** The same as HTML. */
export const callsAsHtml = ({ toolCalls }: Pick<ExportedMessage, 'toolCalls'>): readonly Html[] =>
  toolCalls.map((call) => {
    const blocks = partsOf(call).map((text) => html`<pre>${text}</pre>`);
    return html`<details open><summary>${headOf(call)}</summary>${blocks}</details>`;
  });

/** What it was given, and what it answered. */
const partsOf = (call: Call): string[] => [call.arguments, call.run?.result ?? ''].filter((text) => text.trim() !== '');
