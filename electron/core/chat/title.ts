import { type Language, messages } from '#shared/language/messages.ts';

const longest = 60;

const words = messages({ newChat: 'New chat' });

/** A title from the first message: its text, else its first file, else the default of the language. */
export const titleOf = (
  { text, attachments }: { readonly text: string; readonly attachments: readonly { readonly name: string }[] },
  language: Language,
): string => titleFrom(text.trim() === '' ? (attachments[0]?.name ?? '') : text) ?? words(language).newChat;

/** The first line with text, cut between words. No model is asked. */
function titleFrom(text: string): string | null {
  const line = text
    .slice(0, 4000)
    .split('\n')
    .map((part) =>
      part
        .replace(/^[\s#>*\-`|]+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .find((part) => /[\p{L}\p{N}]/u.test(part));
  if (!line) return null;
  const characters = [...line];
  if (characters.length <= longest) return line;
  const cut = characters.slice(0, longest).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > longest / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.–-]+$/, '')}…`;
}
