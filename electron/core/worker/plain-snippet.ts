/** Around a match in a snippet: control characters that messages do not contain. */
export const [on, off] = ['\u0001', '\u0002'];

/** Marks of Markdown, of which a snippet may have only one end. Bounded, so that every text takes linear time. */
const marks: readonly RegExp[] = [
  /^[ \t]{0,8}(?:`{3,9}|~{3,9})[^\n]{0,60}$/gm,
  /^[ \t]{0,8}(?:#{1,6}[ \t]{1,9}|(?:>[ \t]?){1,5})/gm,
  /^[ \t]{0,8}\|?(?:[ \t]{0,8}:?-{2,200}:?[ \t]{0,8}\|){1,50}(?:[ \t]{0,8}:?-{2,200}:?)?[ \t]{0,8}$/gm,
  /^[ \t]{0,8}\|[ \t]{0,8}|[ \t]{0,8}\|[ \t]{0,8}$/gm,
  /(?<=^[ \t]{0,8}[-*+][ \t]{1,4})\[[ xX]\][ \t]/gm,
  // At one side of a word: between words or spaces, stars are a power or a product.
  /(?<![\p{L}\p{N}])(?:\*{2,3}|~~)(?=\S)|(?<=\S)(?:\*{2,3}|~~)(?![\p{L}\p{N}])/gu,
  /`{1,9}/g,
  /\\(?=[!-/:-@[-`{-~])/g,
  /<br ?\/?>/gi,
];
const emphasised = /(?<![\p{L}\p{N}*\\])\*(?=[^\s*])[^*\n]{1,200}(?<=[^\s*])\*(?![\p{L}\p{N}*])/gu;
const bullet = /(?<=^[ \t]{0,8})[-*+](?=[ \t])/gm;
const link = /(!?\[)([^[\]\n]{1,200})(\]\([^()\s]{1,2000}(?:\)|$))/g;
const cellEdge = /(?<=^[ \t]{0,8}\|[^\n]{1,500})\|(?=[^\n]{0,500}\|)/gm;

/** A snippet of Markdown in the words that its reader saw. What a match stands in stays as it was written. */
export function plainSnippet(marked: string): string {
  const units: string[] = [];
  const edges: { at: number; mark: string }[] = [];
  for (const unit of marked.split('')) {
    if (unit === on || unit === off) edges.push({ at: units.length, mark: unit });
    else units.push(unit);
  }
  const text = units.join('');
  const touches = (from: number, to: number) =>
    edges.some((edge, index) => edge.mark === on && edge.at < to && (edges[index + 1]?.at ?? to) > from);
  const replace = (from: number, to: number, by = '') => {
    if (!touches(from, to)) units.fill('', from, to).splice(from, 1, by);
  };
  for (const { index } of text.matchAll(bullet)) replace(index, index + 1, '•');
  for (const { index } of text.matchAll(cellEdge)) replace(index, index + 1, '·');
  for (const { 0: found, 1: before = '', 3: after = '', index } of text.matchAll(link)) {
    const end = index + found.length;
    if (touches(end - after.length, end)) continue;
    replace(index, index + before.length);
    replace(end - after.length, end);
  }
  for (const { 0: found, index } of text.matchAll(emphasised)) {
    replace(index, index + 1);
    replace(index + found.length - 1, index + found.length);
  }
  for (const pattern of marks) {
    for (const { 0: found, index } of text.matchAll(pattern)) replace(index, index + found.length);
  }
  for (const edge of edges.toReversed()) units.splice(edge.at, 0, edge.mark);
  return units.join('');
}
