import type { ExportedMessage } from '#shared/transfer.ts';

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
  toolCalls.map((call) => {
    const parts = [call.arguments, call.run?.result ?? ''].filter((text) => text.trim() !== '');
    return [`*${headOf(call)}*`, ...parts.map(fenced)].join('\n\n');
  });

/** A fence longer than any in the text, so that the text cannot end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** The same as HTML; `escaped` makes text harmless. */
export const callsAsHtml = (
  { toolCalls }: Pick<ExportedMessage, 'toolCalls'>,
  escaped: (text: string) => string,
): string =>
  toolCalls
    .map((call) => {
      const parts = [call.arguments, call.run?.result ?? ''].filter((text) => text.trim() !== '');
      const blocks = parts.map((text) => `<pre>${escaped(text)}</pre>`).join('');
      return `<details open><summary>${escaped(headOf(call))}</summary>${blocks}</details>`;
    })
    .join('');
