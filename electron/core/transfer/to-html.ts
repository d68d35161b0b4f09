import { marked, type Tokens } from 'marked';
import type { ExportedConversation } from '#shared/transfer.ts';
import { callsAsHtml } from './calls-text.ts';
import { costText, shownBranch, totalText } from './shown-branch.ts';

const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const style = `:root{color-scheme:light dark}body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h1.chat{break-before:page}h1.chat:first-of-type{break-before:auto}.note{color:GrayText;font-size:.8rem;margin:0 0 .5rem}
section{margin:1.5rem 0;break-inside:auto}section.you{border-left:3px solid GrayText;padding-left:1rem}h2{font-size:1rem;margin:0}
pre{overflow:auto;padding:.75rem;border:1px solid GrayText;border-radius:6px;white-space:pre-wrap}table{border-collapse:collapse}
td,th{border:1px solid GrayText;padding:.25rem .5rem;text-align:left}img{display:none}`;

export const htmlHead = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Chats from Portico</title><style>${style}</style></head><body>
`;
export const htmlFoot = '</body></html>\n';

/** The branch that is shown, as a part of a page: no script, nothing fetched, every word of it escaped. */
export function toHtml(conversation: ExportedConversation): string {
  const { title, createdAt, messages } = conversation;
  const parts = shownBranch(conversation).map((message) => {
    const answer = message.role === 'assistant';
    const who = answer ? (message.modelName ?? message.model ?? 'Answer') : 'You';
    const note = answer ? `${day(message.createdAt)} · ${costText(message)}` : day(message.createdAt);
    const body = answer ? markdown(message.text) : `<p style="white-space:pre-wrap">${escaped(message.text)}</p>`;
    return `<section class="${answer ? 'answer' : 'you'}"><h2>${escaped(who)}</h2><p class="note">${escaped(note)}</p>${body}${callsAsHtml(message, escaped)}</section>`;
  });
  const note = `Begun ${day(createdAt)} · Cost: ${totalText(messages)}`;
  return `<h1 class="chat">${escaped(title)}</h1><p class="note">${escaped(note)}</p>\n${parts.join('\n')}\n`;
}

const renderer = new marked.Renderer();
renderer.html = ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text);
// The title of a picture stands for it: a file that fetches what a model wrote would tell others that it is read.
renderer.image = ({ text, href }: Tokens.Image) => `[${escaped(text || 'picture')}: ${escaped(href)}]`;
renderer.link = function link({ href, tokens }: Tokens.Link) {
  const label = this.parser.parseInline(tokens);
  return /^(https?|mailto):/i.test(href) ? `<a href="${escaped(href)}" rel="noreferrer">${label}</a>` : label;
};

function markdown(text: string): string {
  try {
    return marked.parse(text, { renderer, async: false, gfm: true });
  } catch {
    // Nesting without end overflows the parser: then the words as they are.
    return `<pre>${escaped(text)}</pre>`;
  }
}

const day = (timeMs: number) => `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
