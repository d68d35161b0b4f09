import { type Language, messages } from '#shared/language/messages.ts';
import { lexText, withPlainLines } from '#shared/markdown/lex-text.ts';

const maxLength = 60;

/** Markdown emphasis around words. Within a word, two stars are a power, as in 2**3. */
const emphasis = /(?<![\p{L}\p{N}])(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1(?![\p{L}\p{N}])/gu;
const link = /!?\[([^\]]+)\]\([^()\s]*\)/g;

const words = messages({ newChat: 'New chat', code: 'Code', table: 'Table' });

interface Question {
  readonly text: string;
  readonly attachments: readonly { readonly name: string }[];
}

/**
 * Makes a title from the first message: its first line of text, else its first file's name, else a general name. No
 * model is asked.
 */
export function getTitle({ text, attachments }: Question, language: Language): string {
  const { newChat, code, table } = words(language);
  const blocks = lexText(withPlainLines(text.slice(0, 4000)));
  const isProse = ({ type }: (typeof blocks)[number]) => type !== 'code' && type !== 'table';
  const kinds = new Set(blocks.map(({ type }) => type));
  const kind = kinds.has('code') ? code : kinds.has('table') ? table : newChat;
  const prose = blocks.filter(isProse).map(({ raw }) => raw);
  return titleFrom(prose.join('\n')) ?? titleFrom(attachments[0]?.name ?? '') ?? kind;
}

/** Returns the first line that has words, cut between words. */
function titleFrom(text: string): string | null {
  const line = text
    .split('\n')
    .map((part) =>
      part
        .replace(emphasis, '$2')
        .replace(link, '$1')
        .replace(/^[\s#>*\-`|]+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .find((part) => /[\p{L}\p{N}]/u.test(part));
  if (!line) return null;
  const characters = [...line];
  if (characters.length <= maxLength) return line;
  const cut = characters.slice(0, maxLength).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > maxLength / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.–-]+$/, '')}…`;
}
