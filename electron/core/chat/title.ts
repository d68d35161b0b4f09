const longest = 60;

/** A title from the first message: its first line with words in it, cut at a word. No model is asked. */
export function titleFrom(text: string): string {
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
  if (!line) return 'New chat';
  const characters = [...line];
  if (characters.length <= longest) return line;
  const cut = characters.slice(0, longest).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > longest / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.–-]+$/, '')}…`;
}
